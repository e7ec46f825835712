internal import OpScript
internal import Synchronization

/// The cores that the works on pictures of one engine share.
///
/// Each work uses one. While fewer works are in progress than there are cores, the passes over a picture use the
/// others, too; when another work begins, they give them back within a band.
final class PictureCores: Sendable {
    /// For a work that uses its own thread only.
    static let one = PictureCores(limit: 1)

    private let limit: Int
    /// Works in progress and threads that help them.
    private let users = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Runs a work on the calling thread.
    func use<Result>(_ work: () throws -> Result) rethrows -> Result {
        enter()
        defer { leave() }
        return try work()
    }

    /// A work begins; if all cores are used, a helping thread leaves soon.
    func enter() { users.add(1, ordering: .relaxed) }

    /// Takes a core for a thread that helps; false if none is left.
    func join() -> Bool {
        var count = users.load(ordering: .relaxed)
        while count < limit {
            let (exchanged, original) = users.weakCompareExchange(
                expected: count,
                desired: count + 1,
                ordering: .relaxed
            )
            if exchanged { return true }
            count = original
        }
        return false
    }

    func leave() { users.subtract(1, ordering: .relaxed) }

    /// Whether works wait for the cores that helping threads use.
    var isCrowded: Bool { users.load(ordering: .relaxed) > limit }

    // MARK: Passes

    /// Runs a step for each band of a pass, on several threads if cores are left.
    ///
    /// The step is called with ranges that do not overlap, and no more when this returns.
    ///
    /// - Parameters:
    ///   - count: The number of rows or columns.
    ///   - least: The fewest of them in a band.
    ///   - image: The picture, for progress and for the size of a band.
    ///   - passes: The number of passes of the whole work; each adds the height of the picture to the progress.
    /// - Throws: `CancellationError`, between two bands.
    func forEachBand(
        of count: Int,
        atLeast least: Int = 1,
        in image: Image,
        passes: Int = 1,
        _ context: WorkContext,
        _ step: @escaping (Range<Int>) -> Void
    ) throws {
        let progress = context.progress
        progress.totalUnitCount = Int64(image.height * passes)
        let before = progress.completedUnitCount
        let pass = PicturePass(count: count, atLeast: least, samples: image.samples.count, step)
        pass.run(on: self, context) { done in
            progress.completedUnitCount = before + Int64(image.height * done / max(1, count))
        }
        try context.checkCancellation()
    }
}
