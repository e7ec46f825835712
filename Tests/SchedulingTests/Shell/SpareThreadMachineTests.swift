import Testing

@testable import Scheduling

/// The decisions about threads, without threads.
@Suite struct SpareThreadMachineTests {
    private final class Spare {}

    private typealias Machine = SpareThreadMachine<Spare, Int>

    /// The kind of an order, and its work.
    private func told(_ order: Machine.Order?) -> String {
        switch order {
        case .wake(_, let life): "wake for \(life)"
        case .start(let life): "start for \(life)"
        case nil: "none"
        }
    }

    @Test func `as many threads as may come are called, and the others one by one`() {
        var machine = Machine(mostComing: 2)
        let orders = (1...4).map { told(machine.call($0)) }
        #expect(orders == ["start for 1", "start for 2", "none", "none"])
        #expect(told(machine.began()) == "start for 3")
        #expect(told(machine.began()) == "start for 4")
        #expect(told(machine.began()) == "none")
    }

    @Test func `a thread that ends its work does what has waited longest`() {
        var machine = Machine(mostComing: 1)
        let spare = Spare()
        for life in 1...4 { _ = machine.call(life) }
        #expect(machine.ended(spare) == 2)
        #expect(told(machine.call(5)) == "none")
        let done = (1...3).map { _ in machine.ended(spare) }
        #expect(done == [3, 4, 5])
        #expect(machine.ended(spare) == nil)
        #expect(machine.spareCount == 1)
    }

    @Test func `the last spare thread is taken first, until it leaves`() {
        var machine = Machine(mostComing: 8)
        let (old, young) = (Spare(), Spare())
        _ = (machine.ended(old), machine.ended(young))
        let order = machine.call(1)
        guard case .wake(let spare, 1) = order else {
            Issue.record("no spare thread was called")
            return
        }
        #expect(spare === young)
        #expect((machine.leaves(young), machine.leaves(old)) == (false, true))
        #expect(told(machine.call(2)) == "start for 2")
    }

    @Test func `waiting work is called again after a refusal, in order`() {
        var machine = Machine(mostComing: 1)
        #expect(told(machine.call(1)) == "start for 1")
        _ = (machine.call(2), machine.call(3))
        // The caller of the first learns of it; the other two wait, and no thread comes.
        #expect(machine.refused(nil) == true)
        #expect(told(machine.again()) == "start for 2")
        #expect(told(machine.again()) == "none")
        #expect(machine.refused(2) == true)
        #expect(told(machine.again()) == "start for 2")
        #expect(told(machine.began()) == "start for 3")
        #expect(told(machine.began()) == "none")
    }

    @Test func `a refusal while another thread comes needs no second request`() {
        var machine = Machine(mostComing: 2)
        for life in 1...3 { _ = machine.call(life) }
        #expect(machine.refused(nil) == false)
        #expect(told(machine.began()) == "start for 3")
        #expect(machine.refused(nil) == false)
        #expect(told(machine.again()) == "none")
    }
}
