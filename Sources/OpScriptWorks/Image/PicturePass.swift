internal import Glibc
internal import OpScript
internal import Scheduling
internal import Synchronization

/// One pass over a picture, in bands that threads take one after the other.
final class PicturePass: Sendable {
    /// About so many samples are one band: long enough for the steps between bands, short enough for a cancellation.
    private static let samplesOfBand = 1 << 17
    /// Fewer bands do not pay for a thread.
    private static let fewestBandsOfThread = 4

    private let count: Int
    private let band: Int
    /// The first row that is not taken.
    private let next = Atomic<Int>(0)
    /// How many rows are finished.
    private let done = Atomic<Int>(0)
    /// Twice the number of helping threads inside, and 1 when no more may enter.
    private let door = Atomic<Int>(0)
    // nonisolated(unsafe) because the step is called only inside the door, with ranges that do not overlap, and because
    // the pointer never changes while the functions on a semaphore are safe for several threads.
    private nonisolated(unsafe) let step: (Range<Int>) -> Void
    private nonisolated(unsafe) let isEmpty: UnsafeMutablePointer<sem_t>

    init(count: Int, atLeast least: Int, samples: Int, _ step: @escaping (Range<Int>) -> Void) {
        self.count = count
        self.step = step
        let bands = max(1, min(count, samples / Self.samplesOfBand))
        band = max(least, (count + bands - 1) / bands)
        isEmpty = .allocate(capacity: 1)
        sem_init(isEmpty, 0, 0)
    }

    deinit {
        sem_destroy(isEmpty)
        isEmpty.deallocate()
    }

    /// Works on the calling thread and on those that join it, until all is done or the work is cancelled.
    func run(on cores: PictureCores, _ context: WorkContext, _ report: (Int) -> Void) {
        var helpers = count / (band * Self.fewestBandsOfThread)
        while helpers > 0, cores.join() {
            helpers -= 1
            let hasBegun = SystemThread.start(name: "picture") {
                self.help(cores, context)
                cores.leave()
            }
            if !hasBegun {
                cores.leave()
                break
            }
        }
        while !context.isCancelled, takeBand() { report(done.load(ordering: .relaxed)) }
        close()
        report(done.load(ordering: .relaxed))
    }

    private func help(_ cores: PictureCores, _ context: WorkContext) {
        guard enter() else { return }
        while !context.isCancelled, !cores.isCrowded, takeBand() {}
        leave()
    }

    private func takeBand() -> Bool {
        let first = next.add(band, ordering: .relaxed).oldValue
        guard first < count else { return false }
        let rows = first..<min(count, first + band)
        step(rows)
        done.add(rows.count, ordering: .relaxed)
        return true
    }

    // MARK: The door

    private func enter() -> Bool {
        var state = door.load(ordering: .relaxed)
        while state & 1 == 0 {
            let (exchanged, original) = door.weakCompareExchange(
                expected: state,
                desired: state + 2,
                ordering: .acquiring
            )
            if exchanged { return true }
            state = original
        }
        return false
    }

    private func leave() {
        if door.subtract(2, ordering: .acquiringAndReleasing).newValue == 1 { sem_post(isEmpty) }
    }

    /// Lets no more threads in, and waits until those inside have finished their band.
    private func close() {
        guard door.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue > 0 else { return }
        while sem_wait(isEmpty) != 0, errno == EINTR {}
    }
}
