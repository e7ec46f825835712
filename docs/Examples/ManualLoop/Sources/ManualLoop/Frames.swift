import Synchronization

/// Lets scripts wait for the next frame of the loop.
final class Frames: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    /// Returns when the next frame begins.
    func next() async {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
        }
    }

    /// A frame begins.
    func begin() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in all { continuation.resume() }
    }
}
