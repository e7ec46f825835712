@testable import Scheduling

/// All parts of the protocol checker that depend on the scheduler's internals.
///
/// Steps of workers are in ``SteppedThreads``; the rest of the checker uses this file and the public
/// interface.
struct ProtocolCore {
    let scheduler: Scheduler

    // MARK: Acting

    func makeQueue(_ queue: ProtocolJob.Queue, target: QueueID?) -> QueueID {
        scheduler.feed { core in
            if queue.kind == .ordinary {
                return core.queueCreated(width: queue.width, qualityOfService: queue.quality)
            }
            let id = core.dispatchQueueCreated(
                isSerial: queue.kind == .serial,
                qualityOfService: queue.quality
            )
            if let target { core.targetChanged(id, to: target) }
            return id
        }
    }

    func add(_ operation: ScheduledOperation, to queue: QueueID, isBarrier: Bool) {
        scheduler.feed { core in
            var addition = AdditionSpec(operation.known(to: core))
            addition.isBarrier = isBarrier
            do {
                try core.operationAdded(addition, to: queue)
                operation.added(to: core)
            } catch {
                preconditionFailure("an operation of a job was refused: \(error)")
            }
        }
    }

    func suspend(_ queue: QueueID, _ isSuspended: Bool) {
        scheduler.feed { $0.suspensionChanged(queue, to: isSuspended) }
    }

    func cancelAll(in queue: QueueID) { scheduler.feed { $0.allCancelled(in: queue) } }

    func setWidth(_ queue: QueueID, _ width: Int) {
        scheduler.feed { $0.widthChanged(queue, to: width) }
    }

    func needCore(_ isNeeded: Bool) { scheduler.visit { $0.coreNeededElsewhere(isNeeded) } }

    /// Releases operations that will not be continued: the scheduler holds them, and they hold the scheduler.
    func abandon(_ operations: [ScheduledOperation?]) {
        // Released outside the lock.
        _ = scheduler.feed { core in
            operations.compactMap { $0 }.filter { $0.knownID != .none }.map { core.takeBody($0.knownID.slot) }
        }
    }

    /// The action of the service thread after it has seen workers block.
    func count(blocked workers: [SteppedWorker]) {
        scheduler.visit { core in
            core.count(blocked: workers.map { ($0.worker, 0, $0.worker.progress) })
        }
    }

    /// The action of the service thread for lanes that got no thread.
    func askForThreadsAgain() { scheduler.visit { $0.asksForThreadsAgain() } }

    // MARK: Looking, without a change

    private func look<R>(_ body: (SchedulerCore) -> R) -> R { scheduler.look(body) }

    /// Whether the service thread watches, so that it detects blocked workers.
    var isWatched: Bool { look { $0.shell.isServiceRunning } }

    var lacksThreads: Bool { look { $0.shell.lanesWithoutThread != 0 && $0.shell.isServiceRunning } }

    /// An operation that could start while no worker is on its way to look for it.
    func leftBehind(awake lanes: Set<ExecutionLane>) -> LeftBehind? {
        let awake = lanes.reduce(UInt16(0)) { $0 | 1 << UInt16($1.rawValue) }
        return look { $0.leftBehind(awake: awake) }
    }

    /// Whether something was added without the lock that no thread will take in.
    func missesAdditions(awake lanes: Set<ExecutionLane>) -> Bool {
        scheduler.hasAdditions && !lanes.contains(.worker)
            && !look { $0.shell.isWatching && !$0.hasShare(.worker) }
    }

    /// Inconsistencies of the machine.
    var faults: [String] { look { $0.inspect { $0.checkInvariants() } } }

    /// The state of the workers, and the operations that are left behind.
    var diagnosis: String {
        look { core in
            let lanes = core.shell.lanes.enumerated().filter { $0.element.threadCount > 0 }.map {
                lane,
                threads in
                "lane \(lane): \(threads.threadCount) threads, \(threads.idle.count) sleep"
                    + (threads.isSearching ? ", one searches" : "")
                    + (threads.isWakeInFlight ? ", a wake is in flight" : "")
            }
            let behind =
                core.leftBehind(awake: core.notedLanesAwake).map { "left behind: \($0)" }
                ?? "nothing is left behind"
            return (lanes + [behind] + core.inspect { $0.checkInvariants() }).joined(separator: "\n")
        }
    }

    // MARK: Telling states apart

    /// A number that is the same for two moments only if everything after them is the same, except for the
    /// identities of equal workers.
    ///
    /// Operations are identified by their place in the job. Times, addresses and identities do not count.
    func fingerprint(
        _ operations: [ScheduledOperation?],
        _ queues: [QueueID],
        _ workers: [SteppedWorker],
        into print: inout Fingerprint
    ) {
        look { core in
            note(operations, core, &print)
            for queue in queues { note(queue, operations, core, &print) }
            note(workers, operations, core, &print)
            noteCounts(core, &print)
        }
    }

    private func note(
        _ operations: [ScheduledOperation?],
        _ core: SchedulerCore,
        _ print: inout Fingerprint
    ) {
        var order: [(sequence: UInt64, place: Int)] = []
        for (place, operation) in operations.enumerated() {
            guard let operation else {
                print.add(1)
                continue
            }
            guard operation.knownID != .none,
                let record = core.inspect({ $0.store.live(operation.knownID)?.pointee })
            else {
                print.add(operation.end.outcome == nil ? 2 : 3)
                continue
            }
            print.add(4)
            print.add(Int(record.phase.rawValue))
            print.add(Int(record.flags.rawValue))
            print.add(record.priority.level)
            print.add(Int(record.unfinishedDependencies))
            print.add(Int(record.attempt))
            print.add(record.phase == .finished ? 1 : 0)
            if record.queue != .max { order.append((record.sequence, place)) }
        }
        order.sort { $0.sequence < $1.sequence }
        for (_, place) in order { print.add(place) }
        print.add(-1)
    }

    private func note(
        _ queue: QueueID,
        _ operations: [ScheduledOperation?],
        _ core: SchedulerCore,
        _ print: inout Fingerprint
    ) {
        let index = Int(queue.index)
        let record = core.inspect { $0.queues[index] }
        print.add(record.isSuspended ? 1 : 0)
        print.add(record.width)
        print.add(record.executingCount)
        print.add(record.count)
        print.add(record.endings.count)
        print.add(record.claimedCount)
        if record.claimedCount > 0 {
            print.add(record.lastClaimed.level)
            // Sequences grow with the steps that were taken; how many operations come before is the same.
            print.add(
                operations.count { operation in
                    guard let operation, operation.knownID != .none else { return false }
                    let known = core.inspect { $0.store.live(operation.knownID)?.pointee.sequence }
                    return known.map { $0 <= record.lastClaimed.sequence } ?? false
                }
            )
        }
        print.add(Int(record.ringMask))
        print.add(record.family?.flow ?? -1)
        print.add(record.family.map { $0.isHeld ? 1 : 0 } ?? 2)
        for group in record.groups {
            print.add(Int(group.lane.rawValue))
            print.add(group.list.liveCount)
        }
        print.add(-4)
    }

    private func note(
        _ workers: [SteppedWorker],
        _ operations: [ScheduledOperation?],
        _ core: SchedulerCore,
        _ print: inout Fingerprint
    ) {
        var numbers: [Int] = []
        for worker in workers where !worker.isGone {
            let lane = core.shell.lanes[Int(worker.lane.rawValue)]
            var number = Int(worker.lane.rawValue)
            let operation = worker.executing
            number = number << 6 | (operations.firstIndex { $0?.knownID == operation } ?? 63)
            number = number << 4 | ((lane.idle.firstIndex { $0 === worker.worker } ?? 14) + 1)
            for bit in [
                worker.isSearching, worker.isAsleep, worker.isAsleep && worker.isCalled,
                worker.isBlocked, worker.worker.isCountedBlocked, worker.worker.isSharing,
                worker.worker.claim.isOpen,
            ] {
                number = number << 1 | (bit ? 1 : 0)
            }
            // A claim of the checker has two operations at most.
            if worker.worker.claim.isOpen {
                let second = worker.worker.claim.ids[1]
                number = number << 6 | (operations.firstIndex { $0?.knownID == second } ?? 63)
            }
            numbers.append(number)
        }
        numbers.sort()
        for number in numbers { print.add(number) }
        print.add(-5)
    }

    private func noteCounts(_ core: SchedulerCore, _ print: inout Fingerprint) {
        for lane in ExecutionLane.allCases {
            let threads = core.shell.lanes[Int(lane.rawValue)]
            print.add(
                threads.threadCount << 2 | (threads.isWakeInFlight ? 2 : 0) | (threads.isSearching ? 1 : 0)
            )
            // The requirements on them.
            let record = core.inspect { $0.lanes[lane] }
            print.add(record.phase)
            for rings in [record.limited, record.shared] {
                for number in 0..<5 {
                    for queue in rings.queues(class: number) { print.add(Int(queue)) }
                    print.add(-6)
                }
            }
            print.add(record.sharedCount)
            print.add(record.blockedCount)
        }
        print.add(core.closureExecutingCount)
        print.add(core.sharedWidth(of: .worker))
        print.add(Int(core.shell.lanesWithoutThread))
        print.add(Int(core.effects.lanesToWake))
        print.add(core.shell.isServiceRunning ? 1 : 0)
        print.add(core.shell.openClaimCount)
    }
}

/// Numbers mixed into one of 64 bits.
struct Fingerprint {
    private(set) var value: UInt64 = 0x9e37_79b9_7f4a_7c15

    mutating func add(_ number: Int) {
        value ^= UInt64(bitPattern: Int64(number))
        value &*= 0xbf58_476d_1ce4_e5b9
        value ^= value >> 29
        value &*= 0x94d0_49bb_1331_11eb
        value ^= value >> 32
    }
}
