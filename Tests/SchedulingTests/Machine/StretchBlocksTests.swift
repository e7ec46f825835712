import Synchronization
import Testing

@testable import Scheduling

/// The memory of blocks, without a scheduler.
@Suite struct StretchBlocksTests {
    /// Counts those that are gone.
    private final class Token: Sendable {
        private let gone: Counter
        init(_ gone: Counter) { self.gone = gone }
        deinit { gone.add() }
    }

    private let gone = Counter()
    private let ran = Notes()

    private func blocks(_ count: Int) -> [@Sendable () throws -> Void] {
        let (gone, ran) = (gone, ran)
        return (0..<count).map { index in
            let token = Token(gone)
            return { () throws in withExtendedLifetime(token) { ran.add(index) } }
        }
    }

    private func run(_ blocks: StretchBlocks, _ place: Int) throws {
        try StretchBlocks.take(blocks.first + place)()
    }

    @Test func `each is gone once it was taken and has run, the others with the array`() throws {
        do {
            let blocks = StretchBlocks(blocks(5))
            #expect(blocks.count == 5)
            try run(blocks, 1)
            #expect(gone.count == 1)
            try run(blocks, 4)
            try run(blocks, 0)
            #expect(gone.count == 3)
            withExtendedLifetime(blocks) {}
        }
        #expect(gone.count == 5)
        #expect(ran.all == [1, 4, 0])
    }

    @Test func `what somebody else holds too stays as it was`() throws {
        let own = blocks(3)
        do {
            let blocks = StretchBlocks(own)
            for place in 0..<3 { try run(blocks, place) }
        }
        #expect(gone.count == 0)
        for block in own { try block() }
        #expect(ran.all == [0, 1, 2, 0, 1, 2])
    }

    @Test func `those that cannot throw are called alike`() throws {
        let (gone, ran) = (gone, ran)
        let quiet: [@Sendable () -> Void] = (0..<3).map { index in
            let token = Token(gone)
            return { withExtendedLifetime(token) { ran.add(index) } }
        }
        let blocks = StretchBlocks(quiet)
        for place in 0..<3 { try run(blocks, place) }
        #expect(gone.count == 0)
        for block in quiet { block() }
        #expect(ran.all == [0, 1, 2, 0, 1, 2])
    }

    @Test func `one that throws throws`() {
        struct Broken: Error {}
        let blocks = StretchBlocks([{ () throws in throw Broken() }, { () throws in }])
        #expect(throws: Broken.self) { try run(blocks, 0) }
        #expect(throws: Never.self) { try run(blocks, 1) }
    }
}
