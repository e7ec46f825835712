import Testing

@testable import Scheduling

@Suite("Additions without the lock")
struct AdditionRingTests {
    private func addition(_ number: Int) -> Submission {
        Submission(adding: OperationID(slot: UInt32(number), generation: 1), to: QueueID(index: 0))
    }

    @Test("the link of an operation on its way to a queue keeps queue and neighbour, for all addresses")
    func links() {
        for address: UInt in [0, 0x10, 0x8000_0000, 0xffff_ffff_fff0] {
            for queue in [0, 1, 0x4000, AdditionLink.lastQueue] {
                let link = AdditionLink(previous: address, queue: QueueID(index: queue)).packed
                #expect(AdditionLink(link).previous == address)
                #expect(AdditionLink(link).queue.index == queue)
            }
        }
    }

    private func taken(_ ring: AdditionRing) -> [UInt32] {
        var slots: [UInt32] = []
        ring.takeAll { (submission: consuming Submission) in slots.append(submission.id.slot) }
        return slots
    }

    @Test("the memory of each operation stays small")
    func sizes() {
        #expect(MemoryLayout<Submission>.stride <= 48)
        #expect(MemoryLayout<SchedulerEvent>.stride == 8)
        #expect(MemoryLayout<OperationRecord>.stride <= 64)
    }

    @Test("all are taken, in order, after any number of rounds")
    func order() {
        let ring = AdditionRing()
        #expect(ring.isEmpty && taken(ring) == [])
        var next = 0
        for count in [1, 255, 256, 3, 256, 100] {
            for number in next..<next + count {
                #expect(!ring.isFull)
                ring.push(addition(number))
            }
            #expect(!ring.isEmpty)
            #expect(taken(ring) == (next..<next + count).map { UInt32($0) })
            #expect(ring.isEmpty)
            next += count
        }
    }

    @Test("it is full at its capacity, and no longer full after the elements were taken")
    func full() {
        let ring = AdditionRing()
        var count = 0
        while !ring.isFull, count < 10_000 {
            ring.push(addition(count))
            count += 1
        }
        #expect(count == 256)
        #expect(ring.isFull)
        #expect(taken(ring).count == 256)
        #expect(!ring.isFull)
    }

    @Test("additions during the taking are taken, too")
    func meanwhile() {
        let ring = AdditionRing()
        for number in 0..<3 { ring.push(addition(number)) }
        var slots: [UInt32] = []
        ring.takeAll { (submission: consuming Submission) in
            slots.append(submission.id.slot)
            if slots.count < 6 { ring.push(self.addition(10 + slots.count)) }
        }
        #expect(slots == [0, 1, 2, 11, 12, 13, 14, 15])
        #expect(ring.isEmpty)
    }

    @Test("a released ring releases the policies that were not taken")
    func lettingGo() {
        weak var taken: RetryBox?
        weak var left: RetryBox?
        do {
            let ring = AdditionRing()
            for number in 0..<2 {
                let box = RetryBox(RetryPolicy(attempts: 2))
                var addition = addition(number)
                addition.retry = box
                ring.push(addition)
                if number == 0 {
                    taken = box
                    ring.takeAll { (submission: consuming Submission) in _ = consume submission }
                } else {
                    left = box
                }
            }
            #expect(taken == nil && left != nil)
        }
        #expect(left == nil)
    }
}
