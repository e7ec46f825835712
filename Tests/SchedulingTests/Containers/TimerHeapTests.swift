import Testing

@testable import Scheduling

@Suite struct TimerHeapTests {
    /// The entries that come out until `now`.
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
        #expect(Bool(heap.isEmpty))
        #expect(heap.nextDeadline == nil)
    }

    @Test func `entries that are not due stay`() {
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

    @Test func `slots are adjacent again once nothing is scheduled, and old handles reach nothing`() {
        var heap = TimerHeap<Int>()
        let first = [30, 10, 20].map { heap.schedule(at: $0, 0) }
        _ = drain(&heap, 30)
        let second = [1, 2, 3, 4].map { heap.schedule(at: $0, Int($0)) }
        #expect(first.map(\.slot) == [0, 1, 2])
        #expect(second.map(\.slot) == [0, 1, 2, 3])
        let reached = first.filter { heap.cancel($0) }
        #expect(reached == [])
        let cancelled = second.filter { heap.cancel($0) }
        #expect(cancelled == second)
        let third = heap.schedule(at: 5, 5)
        #expect(third.slot == 0)
        let order = drain(&heap, 5)
        #expect(order == [5])
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

    /// As programs use them: few delays from an advancing clock, and now and then another one. More than fit
    /// into a piece of a run.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `it agrees with a sorted list if most have one of few delays`(seed: UInt64) {
        struct Entry: Comparable {
            let deadline: Int64
            let number: Int
            static func < (left: Entry, right: Entry) -> Bool {
                (left.deadline, left.number) < (right.deadline, right.number)
            }
        }
        var random = RandomSequence(seed: seed)
        var heap = TimerHeap<Int>()
        var model: Set<Int> = []
        var entries: [(Entry, TimerHandle)] = []
        var now: Int64 = 0
        let delays = (0..<(4 + seed * 3)).map { _ in Int64(random.next() % 5000) }
        for phase in 0..<6 {
            for _ in 0..<2000 {
                now += Int64(random.next() % 2)
                let usual = delays[Int(random.next() % UInt64(delays.count))]
                let delay = random.next() % 20 == 0 ? Int64(random.next() % 9000) : usual
                let entry = Entry(deadline: now + delay, number: entries.count)
                entries.append((entry, heap.schedule(at: entry.deadline, entry.number)))
                model.insert(entry.number)
            }
            // In one phase nearly all are cancelled, so that the rest is put together anew.
            for _ in 0..<(phase == 3 ? 20_000 : 200) {
                let number = Int(random.next() % UInt64(entries.count))
                let wasThere = heap.cancel(entries[number].1)
                #expect(wasThere == (model.remove(number) != nil), "seed \(seed)")
            }
            now += Int64(random.next() % 4000)
            let due = model.map { entries[$0].0 }.filter { $0.deadline <= now }.sorted()
            #expect(heap.nextDeadline == model.map { entries[$0].0.deadline }.min(), "seed \(seed)")
            let listed = heap.entries(dueBy: now).map(\.payload)
            #expect(listed == due.map(\.number), "seed \(seed)")
            let order = drain(&heap, now)
            #expect(order == due.map(\.number), "seed \(seed)")
            model.subtract(order)
            #expect(heap.count == model.count, "seed \(seed)")
        }
        let rest = drain(&heap, .max)
        #expect(rest == model.map { entries[$0].0 }.sorted().map(\.number), "seed \(seed)")
        #expect(Bool(heap.isEmpty) && heap.nodeCount == 0)
    }

    @Test func `entries that come earlier and earlier come out in order`() {
        var heap = TimerHeap<Int>()
        for number in 0..<100 { heap.schedule(at: Int64(-number), number) }
        let order = drain(&heap, 0)
        #expect(order == Array((0..<100).reversed()))
    }

    @Test func `stale nodes are dropped together, and the rest comes out in order`() {
        var heap = TimerHeap<Int>()
        let far = heap.schedule(at: 1_000_000, -1)
        let schedule = { number in heap.schedule(at: Int64(number + number % 10 * 1000), number) }
        let handles = (0..<5000).map(schedule)
        heap.cancel(far)
        for (number, handle) in handles.enumerated() where number % 50 >= 10 { heap.cancel(handle) }
        #expect(heap.nodeCount < 3000)
        for number in 5000..<10_000 { _ = schedule(number) }
        #expect(drain(&heap, .max).count == 6000)
    }

    @Test func `cancelled entries take little more room than scheduled ones`() {
        var heap = TimerHeap<Int>()
        heap.schedule(at: 0, 0)
        for round in 1...100 {
            let handles = (1...100).map { heap.schedule(at: Int64(round * 1000 - $0), $0) }
            for handle in handles { heap.cancel(handle) }
        }
        #expect(heap.count == 1)
        #expect(heap.nodeCount <= 70)
        #expect(heap.slots.count <= 101)
        let order = drain(&heap, .max)
        #expect(order == [0])
        #expect(Bool(heap.isEmpty) && heap.nodeCount == 0)
    }

    @Test func `a cancelled first entry gives way to the next at once`() {
        var heap = TimerHeap<Int>()
        let handles = (0..<10).map { heap.schedule(at: Int64($0), $0) }
        for handle in handles.dropLast() { heap.cancel(handle) }
        #expect(heap.nextDeadline == 9)
        heap.cancel(handles[9])
        #expect(heap.nextDeadline == nil)
        #expect(Bool(heap.isEmpty))
    }
}
