import Testing

@testable import Scheduling

/// A source's machine without descriptors, threads or handlers.
@Suite struct SourceMachineTests {
    /// A machine that is active, with a handler, and whose registration is over.
    private func running(_ merge: SourceMachine.Merge) -> SourceMachine {
        var machine = SourceMachine(merge)
        _ = machine.handlerChanged(isThere: true)
        _ = machine.activated()
        _ = machine.nextCall()
        _ = machine.callEnded()
        return machine
    }

    @Test func `it is made inactive and armed by its activation, once`() {
        var machine = SourceMachine(.add)
        #expect(machine.isInactive && !machine.isHeld && !machine.isArmed)
        #expect(machine.activated() == [.arm, .call])
        #expect(machine.isActive && machine.isHeld && machine.isArmed)
        #expect(machine.activated() == [])
        #expect(machine.nextCall() == .registration)
        #expect(machine.callEnded() == [])
    }

    @Test func `resuming an inactive one activates it; one that is not suspended cannot be resumed`() {
        var machine = SourceMachine(.add)
        #expect(machine.resumed() == [.arm, .call])
        #expect(machine.resumed() == nil)
    }

    @Test(arguments: [(SourceMachine.Merge.add, 8), (.or, 7), (.replace, 1)])
    func `events that were not served are merged`(_ merge: SourceMachine.Merge, _ merged: Int) {
        var machine = running(merge)
        #expect(machine.happened(2) == .call)
        for number in [4, 1, 0, 1] where number > 0 || merge != .replace {
            #expect(machine.happened(number) == [])
        }
        #expect(machine.nextCall() == .event(merged))
        #expect(machine.nextCall() == nil)
        #expect(machine.callEnded() == [])
    }

    @Test func `the thing it waits for may change, also once no more events will come`() {
        var machine = running(.level)
        #expect(machine.happened(1) == [.disarm, .call])
        #expect(machine.changed() == .arm)
        #expect(machine.nextCall() == nil, "what had happened is dropped")
        #expect(machine.exhausted() == .disarm)
        #expect(!machine.isHeld)
        #expect(machine.changed() == .arm)
        #expect(machine.isHeld && machine.isExpecting)
        #expect(machine.changed() == .arm, "the caller has disarmed it")
        _ = machine.cancelled()
        #expect(machine.changed() == [])
        var inactive = SourceMachine(.level)
        #expect(inactive.changed() == [] && inactive.isInactive)
    }

    @Test func `a sum that is too large stays the largest number`() {
        var machine = running(.add)
        _ = machine.happened(.max)
        _ = machine.happened(.max)
        #expect(machine.nextCall() == .event(.max))
    }

    @Test func `a merge of 0 is not an event, and discards the value that was to replace`() {
        var machine = running(.add)
        #expect(machine.happened(0) == [])
        var replacing = running(.replace)
        #expect(replacing.happened(5) == .call)
        #expect(replacing.happened(0) == [])
        #expect(replacing.nextCall() == nil)
        #expect(!replacing.isBusy)
    }

    @Test func `events while the handler runs are served after it`() {
        var machine = running(.add)
        _ = machine.happened(1)
        #expect(machine.nextCall() == .event(1))
        #expect(machine.happened(2) == [])
        #expect(machine.happened(3) == [])
        #expect(machine.nextCall() == nil)
        #expect(machine.callEnded() == .call)
        #expect(machine.nextCall() == .event(5))
    }

    @Test func `events before the activation and while suspended are kept`() {
        var machine = SourceMachine(.add)
        _ = machine.handlerChanged(isThere: true)
        #expect(machine.happened(1) == [])
        #expect(machine.activated() == [.arm, .call])
        #expect(machine.suspended() == [])
        #expect(machine.suspended() == [])
        #expect(machine.nextCall() == nil)
        #expect(machine.happened(2) == [])
        #expect(machine.resumed() == [])
        #expect(machine.resumed() == .call)
        #expect(machine.nextCall() == .registration)
        #expect(machine.callEnded() == .call)
        #expect(machine.nextCall() == .event(3))
    }

    @Test func `a lasting event is watched for only while it could be served`() {
        var machine = running(.level)
        #expect(machine.isArmed)
        #expect(machine.happened(1) == [.disarm, .call])
        #expect(machine.nextCall() == .event(1))
        #expect(!machine.isArmed)
        _ = machine.callEnded()
        #expect(machine.isArmed)
        #expect(machine.suspended() == .disarm)
        #expect(machine.resumed() == .arm)
        #expect(machine.cancelled() == [.disarm, .call])
    }

    @Test func `without a handler events are kept and none is called`() {
        var machine = SourceMachine(.level)
        _ = machine.activated()
        _ = machine.nextCall()
        _ = machine.callEnded()
        #expect(machine.happened(1) == .disarm)
        #expect(!machine.isExpecting)
        #expect(machine.handlerChanged(isThere: true) == .call)
        #expect(machine.nextCall() == .event(1))
    }

    @Test func `cancelled in its handler, the cancel handler comes after it, once, and nothing else`() {
        var machine = running(.add)
        _ = machine.happened(1)
        _ = machine.nextCall()
        _ = machine.happened(1)
        #expect(machine.cancelled() == .disarm)
        #expect(machine.isCancelled && !machine.isRetired)
        #expect(machine.cancelled() == [])
        #expect(machine.happened(7) == [])
        #expect(machine.callEnded() == .call)
        #expect(machine.nextCall() == .cancel)
        #expect(machine.callEnded() == .retire)
        #expect(machine.isRetired && !machine.isHeld)
        #expect(machine.nextCall() == nil)
        #expect(machine.callEnded() == [])
        #expect(machine.happened(1) == [])
    }

    @Test func `an inactive or suspended one is cancelled at once`() {
        var inactive = SourceMachine(.add)
        _ = inactive.happened(1)
        #expect(inactive.cancelled() == .call)
        #expect(inactive.activated() == [])
        #expect(inactive.nextCall() == .cancel)
        var suspended = running(.level)
        _ = suspended.suspended()
        #expect(suspended.cancelled() == .call)
        #expect(suspended.nextCall() == .cancel)
        #expect(suspended.callEnded() == .retire)
    }

    @Test func `a source lives without references, unless it is inactive, suspended, exhausted or retired`() {
        var machine = running(.add)
        #expect(machine.isHeld && machine.isExpecting)
        _ = machine.suspended()
        #expect(!machine.isHeld && !machine.isExpecting)
        _ = machine.resumed()
        _ = machine.happened(1)
        #expect(machine.exhausted() == .disarm)
        #expect(machine.isHeld, "an event is on its way")
        #expect(machine.nextCall() == .event(1))
        _ = machine.callEnded()
        #expect(!machine.isHeld && !machine.isExpecting)
    }

    @Test func `a lost call is requested again`() {
        var machine = running(.add)
        _ = machine.happened(1)
        #expect(machine.callWasLost() == .call)
        #expect(machine.nextCall() == .event(1))
        #expect(machine.callWasLost() == [])
    }

    /// For all inputs in any order: calls never overlap, cancel is the last one and comes once, and no number
    /// is lost.
    @Test(arguments: 0..<200) func `the order of calls is kept for all inputs`(_ seed: UInt64) {
        var random = SystemOfNumbers(state: seed)
        var machine = SourceMachine(.add)
        var asked = 0
        var calls: [SourceMachine.Call] = []
        var isCalling = false
        var sum = 0
        var served = 0
        func take(_ orders: SourceMachine.Orders) {
            if orders.contains(.call) { asked += 1 }
            if orders.contains(.retire) { #expect(calls.last == .cancel) }
        }
        take(machine.handlerChanged(isThere: true))
        for _ in 0..<300 {
            switch random.next() % 16 {
            case 0: take(machine.activated())
            case 1, 2: take(machine.suspended())
            case 3, 4, 5: take(machine.resumed() ?? [])
            case 6 where random.next() % 8 == 0: take(machine.cancelled())
            case 7, 8, 9:
                let number = Int(random.next() % 5)
                if !machine.isCancelled { sum += number }
                take(machine.happened(number))
            case 10, 11, 12:
                if asked > 0 {
                    asked -= 1
                    if let call = machine.nextCall() {
                        #expect(!isCalling)
                        isCalling = true
                        #expect(calls.last != .cancel)
                        if case .event(let number) = call {
                            #expect(number > 0 && calls.first == .registration)
                            served += number
                        }
                        calls.append(call)
                    }
                }
            default:
                if isCalling { isCalling = false }
                take(machine.callEnded())
            }
        }
        // At the end, every request is served, and none was forgotten.
        while machine.isSuspended { take(machine.resumed() ?? []) }
        take(machine.activated())
        while asked > 0 || isCalling {
            take(machine.callEnded())
            isCalling = false
            guard asked > 0 else { break }
            asked -= 1
            if let call = machine.nextCall() {
                isCalling = true
                if case .event(let number) = call { served += number }
                calls.append(call)
            }
        }
        #expect(machine.isCancelled ? served <= sum : served == sum)
        #expect(calls.count { $0 == .registration } <= 1)
        #expect(calls.count { $0 == .cancel } == (machine.isCancelled ? 1 : 0))
        if !machine.isCancelled { #expect(!machine.isBusy) }
    }

    @Test func `nothing is expected while the queue of the handlers is suspended`() {
        var machine = SourceMachine(.add)
        _ = machine.handlerChanged(isThere: true)
        #expect(machine.queueSuspensionChanged(to: true).isEmpty)
        #expect(machine.activated() == [.arm, .call])
        #expect(machine.isHeld && !machine.isExpecting && !machine.hasEvent)
        #expect(machine.happened(2).isEmpty, "a call is asked for already")
        #expect(machine.hasEvent && !machine.isExpecting)
        #expect(machine.queueSuspensionChanged(to: false).isEmpty)
        #expect(machine.isExpecting)
        #expect(machine.nextCall() == .registration)
        #expect(machine.callEnded() == .call)
        #expect(machine.nextCall() == .event(2))
        #expect(!machine.hasEvent)
    }

    @Test func `an event that lasts is not watched for while the queue of the handlers is suspended`() {
        var machine = SourceMachine(.level)
        _ = machine.handlerChanged(isThere: true)
        _ = machine.activated()
        _ = machine.nextCall()
        _ = machine.callEnded()
        #expect(machine.isArmed)
        #expect(machine.queueSuspensionChanged(to: true) == .disarm)
        #expect(machine.queueSuspensionChanged(to: false) == .arm)
    }

    @Test func `an abandoned source calls nothing any more`() {
        var machine = SourceMachine(.add)
        _ = machine.handlerChanged(isThere: true)
        _ = machine.activated()
        _ = machine.happened(1)
        machine.abandoned()
        #expect(machine.callWasLost().isDisjoint(with: [.call, .arm]))
        #expect(machine.nextCall() == nil)
    }
}

/// Numbers that are the same each time.
private struct SystemOfNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
