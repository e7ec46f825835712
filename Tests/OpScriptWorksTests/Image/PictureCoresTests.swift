import Glibc
import OpScript
import Synchronization
import TestSupport
import Testing

@testable import OpScriptWorks

/// Passes over pictures that use several threads.
@Suite(.timeLimit(.minutes(5))) struct PictureCoresTests {
    private let context = WorkContext()

    /// About forty bands.
    private static let large: Image = {
        var state: UInt32 = 7
        let samples = (0..<1500 * 1200 * 3).map { _ -> UInt16 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt16(state >> 24)
        }
        return Image(width: 1500, height: 1200, channels: 3, maximum: 255, samples: samples)
    }()

    @Test func `several threads make the same picture as one`() throws {
        let (image, cores) = (Self.large, PictureCores(limit: 4))
        #expect(try mono(context, image, on: cores).samples == mono(context, image).samples)
        #expect(try sepia(context, image, on: cores).samples == sepia(context, image).samples)
        #expect(try blur(context, image, 9, on: cores).samples == blur(context, image, 9).samples)
        for filter in ResizeFilter.allCases {
            for (width, height) in [(640, 480), (1700, 1301)] {
                let one = try resize(context, image, width, height, filter)
                let many = try resize(context, image, width, height, filter, on: cores)
                #expect(one.samples == many.samples, "\(filter) \(width)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5]) func `each row is in one band`(_ limit: Int) throws {
        let counts = (0..<1200).map { _ in Counter() }
        try PictureCores(limit: limit).use {
            try PictureCores(limit: limit).forEachBand(of: 1200, in: Self.large, context) { rows in
                for row in rows { counts[row].value.add(1, ordering: .relaxed) }
            }
        }
        #expect(counts.allSatisfy { $0.value.load(ordering: .relaxed) == 1 })
        #expect(context.progress.completedUnitCount == 1200 && context.progress.totalUnitCount == 1200)
    }

    @Test func `a core that is left helps, and no other thread does without one`() throws {
        for (limit, mayHelp) in [(2, true), (1, false)] {
            let cores = PictureCores(limit: limit)
            let (own, helped) = (pthread_self(), Counter())
            try cores.use {
                try cores.forEachBand(of: 1200, in: Self.large, context) { _ in
                    if pthread_self() != own {
                        helped.value.add(1, ordering: .relaxed)
                    } else if mayHelp {
                        // The other thread takes a band while this one is held.
                        while helped.value.load(ordering: .relaxed) == 0 { sched_yield() }
                    }
                }
            }
            #expect((helped.value.load(ordering: .relaxed) > 0) == mayHelp)
            #expect(cores.join(), "no core was given back")
        }
    }

    @Test func `a helping thread leaves when another work begins`() throws {
        let cores = PictureCores(limit: 2)
        let (own, helped) = (pthread_self(), Counter())
        try cores.use {
            try cores.forEachBand(of: 1200, in: Self.large, context) { _ in
                if pthread_self() != own {
                    // As another work does that begins now and lasts longer than this pass.
                    cores.enter()
                    helped.value.add(1, ordering: .relaxed)
                } else {
                    while helped.value.load(ordering: .relaxed) == 0 { sched_yield() }
                }
            }
        }
        #expect(helped.value.load(ordering: .relaxed) == 1)
    }

    @Test func `cancelled work ends with its band`() throws {
        let (cores, bands) = (PictureCores(limit: 3), Counter())
        #expect(throws: CancellationError.self) {
            try cores.use {
                try cores.forEachBand(of: 1200, in: Self.large, context) { _ in
                    bands.value.add(1, ordering: .relaxed)
                    context.cancel()
                }
            }
        }
        // At most one band of each thread.
        #expect((1...3).contains(bands.value.load(ordering: .relaxed)))
    }

    @Test func `Lanczos gives the samples that Pillow finds`() throws {
        let row: [UInt16] = [0, 48, 170, 110, 124, 212, 118, 98, 152, 24, 226, 246, 84, 252, 238, 42]
        let shrunk: [UInt16] = [73, 156, 110, 179, 174]
        let grown: [UInt16] = [
            0, 8, 72, 162, 153, 100, 110, 181, 208, 136, 86, 111, 160, 72, 37, 189, 255, 215, 91, 146, 255,
            255, 125, 24,
        ]
        let image = Image(width: 16, height: 1, channels: 1, maximum: 255, samples: row)
        for expected in [shrunk, grown] {
            let samples = try resize(context, image, expected.count, 1, .lanczos).samples
            // Its weights are rounded.
            let isClose = zip(samples, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
            #expect(isClose, "\(samples)")
        }
    }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }
}
