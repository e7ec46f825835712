import Synchronization
import Testing

/// Keeps issues. From any thread.
final class Recorder: Sendable {
    private let kept = Mutex<[Issue]>([])

    func add(_ issue: Issue) { kept.withLock { $0.append(issue) } }

    var issues: [Issue] { kept.withLock { $0 } }
}
