import Testing

@testable import Scheduling

@Suite struct TimerHeapTests {
    /// What comes out until `now`.
    private func drain(_ heap: inout TimerHeap<Int>, _ now: Int64) -> [Int] {
        var order: [Int] = []
        while let (_, payload) = heap.popDue(now) { order.append(payload) }
        return order
    }

    @Test func `entries come out by deadline, equal ones in the order of scheduling`() {
        var heap = TimerHeap<Int>()
        for (deadline, number) in [(20, 3), (10, 1), (20, 4), (10, 2)] {
            heap.schedule(at: Int64(deadline), number)
        }
        #expect(heap.nextDeadline == 10)
        let order = drain(&heap, 20)
        #expect(order == [1, 2, 3, 4])
        #expect(heap.isEmpty)
        #expect(heap.nextDeadline == nil)
    }

    @Test func `what is not due stays`() {
        var heap = TimerHeap<Int>()
        heap.schedule(at: 11, 1)
        let early = drain(&heap, 10)
        let late = drain(&heap, 11)
        #expect(early == [])
        #expect(late == [1])
    }

    @Test func `a cancelled entry does not come out, and its handle does not reach the next`() {
        var heap = TimerHeap<Int>()
        let first = heap.schedule(at: 1, 1)
        let cancelled = [heap.cancel(first), heap.cancel(first)]
        #expect(cancelled == [true, false])
        let second = heap.schedule(at: 1, 2)
        #expect(second.slot == first.slot)
        let reached = heap.cancel(first)
        #expect(!reached)
        let order = drain(&heap, 1)
        #expect(order == [2])
        let after = heap.cancel(second)
        #expect(!after)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `it agrees with a sorted list`(seed: UInt64) {
        var random = RandomSequence(seed: seed)
        var heap = TimerHeap<Int>()
        var model: [(deadline: Int64, number: Int, handle: TimerHandle)] = []
        for number in 0..<400 {
            switch random.next() % 4 {
            case 0, 1:
                let deadline = Int64(random.next() % 50)
                model.append((deadline, number, heap.schedule(at: deadline, number)))
            case 2 where !model.isEmpty:
                let entry = model.remove(at: Int(random.next() % UInt64(model.count)))
                let wasThere = heap.cancel(entry.handle)
                #expect(wasThere, "seed \(seed)")
            default:
                let now = Int64(random.next() % 60)
                let due = model.filter { $0.deadline <= now }
                let expected = due.min { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
                let popped = heap.popDue(now)?.payload
                #expect(popped == expected?.number, "seed \(seed)")
                model.removeAll { $0.number == expected?.number }
            }
            #expect(heap.count == model.count, "seed \(seed)")
            #expect(heap.nextDeadline == model.map(\.deadline).min(), "seed \(seed)")
        }
    }

    @Test func `what was cancelled takes no more room than what is scheduled, and a little`() {
        var heap = TimerHeap<Int>()
        heap.schedule(at: 0, 0)
        for round in 1...100 {
            let handles = (1...100).map { heap.schedule(at: Int64(round * 1000 - $0), $0) }
            for handle in handles { heap.cancel(handle) }
        }
        #expect(heap.count == 1)
        #expect(heap.nodes.count <= 70)
        #expect(heap.slots.count <= 101)
        let order = drain(&heap, .max)
        #expect(order == [0])
        #expect(heap.nodes.isEmpty)
    }

    @Test func `a cancelled first entry gives way to the next at once`() {
        var heap = TimerHeap<Int>()
        let handles = (0..<10).map { heap.schedule(at: Int64($0), $0) }
        for handle in handles.dropLast() { heap.cancel(handle) }
        #expect(heap.nextDeadline == 9)
        heap.cancel(handles[9])
        #expect(heap.nextDeadline == nil)
        #expect(heap.isEmpty)
    }
}
