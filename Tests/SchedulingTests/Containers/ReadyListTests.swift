import Testing

@testable import Scheduling

@Suite struct ReadyListTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `it agrees with a sorted list`(seed: UInt64) {
        var random = RandomSequence(seed: seed)
        var list = ReadyList()
        var model: [(level: Int, sequence: UInt64)] = []
        var dead: Set<UInt64> = []
        for sequence in 1...600 as ClosedRange<UInt64> {
            switch random.next() % 5 {
            case 0, 1, 2:
                // Mostly in order, sometimes late.
                let place = random.next() % 4 == 0 ? sequence &* 7919 % 10_000 + 100_000 : sequence
                let level = Int(random.next() % 5)
                list.insert(ReadyList.Entry(sequence: place, slot: 0, token: 0), level: level)
                model.append((level, place))
            case 3 where !model.isEmpty:
                let gone = model.remove(at: Int(random.next() % UInt64(model.count)))
                dead.insert(gone.sequence)
                list.invalidate(level: gone.level)
                if list.isMostlyStale(level: gone.level) {
                    list.compact(level: gone.level) { !dead.contains($0.sequence) }
                }
            default:
                let expected = model.min { ($0.level, $0.sequence) < ($1.level, $1.sequence) }
                let first = list.first { !dead.contains($0.sequence) }
                #expect(first?.entry.sequence == expected?.sequence, "seed \(seed)")
                #expect(first?.level == expected?.level, "seed \(seed)")
                if let first {
                    list.removeFirst(level: first.level)
                    model.removeAll { $0.sequence == first.entry.sequence }
                }
            }
            #expect(list.liveCount == model.count, "seed \(seed)")
        }
    }

    @Test func `entries that became stale do not pile up`() {
        var list = ReadyList()
        list.insert(ReadyList.Entry(sequence: 1, slot: 0, token: 0), level: 2)
        for sequence in 2..<10_000 as Range<UInt64> {
            list.insert(ReadyList.Entry(sequence: sequence, slot: 0, token: 0), level: 2)
            list.invalidate(level: 2)
            if list.isMostlyStale(level: 2) { list.compact(level: 2) { $0.sequence == 1 } }
            #expect(list.entryCount(level: 2) < 100)
        }
    }

    @Test func `a ring is first in, first out`() {
        var ring = IndexRing()
        for index in 0..<500 as Range<UInt32> { ring.append(index) }
        for index in 0..<500 as Range<UInt32> {
            let first = ring.popFirst()
            #expect(first == index)
            ring.append(index + 500)
        }
        ring.remove(600)
        #expect(ring.count == 499)
        #expect(!ring.contains(600))
        #expect(ring.first == 500)
    }
}
