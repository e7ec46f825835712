internal import Synchronization

/// The error that a Swift task threw, for the thread that waits for it.
final class FailureBox: Sendable {
    private let content = Mutex<(any Error)?>(nil)

    var error: (any Error)? { content.withLock { $0 } }

    func set(_ error: any Error) { content.withLock { $0 = error } }
}
