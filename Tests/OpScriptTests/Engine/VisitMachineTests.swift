import Testing

@testable import OpScript

/// The moments at which an engine without a thread of its own requests one.
struct VisitMachineTests {
    @Test func `the first call requests a thread and the next ones do not`() {
        var machine = VisitMachine()
        let asks = machine.call()
        #expect(asks)
        let asksAgain = machine.call()
        #expect(!asksAgain)
        machine.begin()
        let asksThen = machine.call()
        #expect(!asksThen)
    }

    @Test func `a call during a visit prolongs it once`() {
        var machine = VisitMachine()
        _ = machine.call()
        machine.begin()
        _ = machine.call()
        _ = machine.call()
        let leaves = machine.mayLeave()
        #expect(!leaves)
        let leavesAgain = machine.mayLeave()
        #expect(leavesAgain)
        let asks = machine.call()
        #expect(asks)
    }

    @Test func `a call before the visit needs no second check`() {
        var machine = VisitMachine()
        _ = machine.call()
        _ = machine.call()
        machine.begin()
        let leaves = machine.mayLeave()
        #expect(leaves)
    }

    @Test func `a visit that leaves for later is expected, and calls request no other thread`() {
        var machine = VisitMachine()
        _ = machine.call()
        machine.begin()
        _ = machine.call()
        machine.leavesForLater()
        let asks = machine.call()
        #expect(!asks)
        machine.begin()
        let leaves = machine.mayLeave()
        #expect(leaves)
    }

    @Test func `after a refusal the next call requests one again`() {
        var machine = VisitMachine()
        _ = machine.call()
        let isRefused = machine.refused()
        #expect(isRefused)
        let isRefusedAgain = machine.refused()
        #expect(!isRefusedAgain)
        let asks = machine.call()
        #expect(asks)
    }

    /// All sequences of calls, checks and leaves up to a length: each call is followed by a check.
    @Test func `no call is lost in any order of calls, visits and ends`() {
        var states: [(machine: VisitMachine, isAsked: Bool, isVisiting: Bool, isUnseen: Bool)] = [
            (VisitMachine(), false, false, false)
        ]
        for _ in 1...12 {
            states = states.flatMap { state in
                var next: [(machine: VisitMachine, isAsked: Bool, isVisiting: Bool, isUnseen: Bool)] = []
                var called = state
                let asks = called.machine.call()
                #expect(!(asks && (state.isAsked || state.isVisiting)), "two threads were asked for")
                called.isAsked = state.isAsked || asks
                called.isUnseen = true
                #expect(called.isAsked || called.isVisiting, "no visit is planned")
                next.append(called)
                if state.isAsked {
                    var begun = state
                    begun.machine.begin()
                    (begun.isAsked, begun.isVisiting, begun.isUnseen) = (false, true, false)
                    next.append(begun)
                }
                if state.isVisiting {
                    var ended = state
                    ended.isVisiting = !ended.machine.mayLeave()
                    #expect(ended.isVisiting || !state.isUnseen, "a call was lost")
                    if ended.isVisiting { ended.isUnseen = false }
                    next.append(ended)
                }
                return next
            }
        }
        #expect(states.count > 100)
    }
}
