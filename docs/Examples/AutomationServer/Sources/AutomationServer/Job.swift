import OpScript
import Synchronization

/// One script of a tenant, from the request to its end.
final class Job: Sendable {
    enum State: String, Codable, Sendable {
        case waiting, running, succeeded, failed, cancelled

        var isOver: Bool { self != .waiting && self != .running }
    }

    /// An event of a job, for its followers.
    enum Event: Sendable {
        case state(State)
        case output(String)
    }

    private struct Content {
        var state = State.waiting
        var output = ""
        var problem: JobView.Problem?
        var followers: [Int: AsyncStream<Event>.Continuation] = [:]
        var nextFollower = 0
        var cancel: (@Sendable () -> Void)?
    }

    let id: String
    let tenant: String
    private let content = Mutex(Content())

    init(id: String, tenant: String) {
        self.id = id
        self.tenant = tenant
    }

    var state: State { content.withLock { $0.state } }

    var view: JobView {
        content.withLock { JobView(id: id, state: $0.state, output: $0.output, problem: $0.problem) }
    }

    // MARK: Reports of the job's own task

    func begin() { change(to: .running) }

    func write(_ text: String) {
        let followers = content.withLock { content in
            content.output += text
            return Array(content.followers.values)
        }
        for follower in followers { follower.yield(.output(text)) }
    }

    func end(_ state: State, _ problem: JobView.Problem? = nil) {
        content.withLock { content in
            content.problem = problem
            content.cancel = nil
        }
        change(to: state)
    }

    private func change(to state: State) {
        let followers = content.withLock { content in
            content.state = state
            defer { if state.isOver { content.followers = [:] } }
            return Array(content.followers.values)
        }
        for follower in followers {
            follower.yield(.state(state))
            if state.isOver { follower.finish() }
        }
    }

    // MARK: From requests

    /// Sets what cancels the job; called at once if the job is over already.
    func whenCancelled(_ cancel: @escaping @Sendable () -> Void) {
        content.withLock { content in if !content.state.isOver { content.cancel = cancel } }
    }

    func cancel() { content.withLock { $0.cancel }?() }

    /// All that happened until now, and then what happens, until the job is over.
    func events() -> AsyncStream<Event> {
        let (stream, follower) = AsyncStream<Event>.makeStream()
        let number = content.withLock { content -> Int? in
            follower.yield(.state(content.state))
            if !content.output.isEmpty { follower.yield(.output(content.output)) }
            guard !content.state.isOver else { return nil }
            content.nextFollower += 1
            content.followers[content.nextFollower] = follower
            return content.nextFollower
        }
        guard let number else {
            follower.finish()
            return stream
        }
        follower.onTermination = { [weak self] _ in
            self?.content.withLock { $0.followers[number] = nil }
        }
        return stream
    }
}

/// A job as the answers show it.
struct JobView: Codable, Sendable {
    /// Why a job failed.
    struct Problem: Codable, Sendable {
        let code: String
        let message: String
        let traceback: String?
        /// The operations that failed before.
        let failures: [String]
    }

    let id: String
    let state: Job.State
    let output: String
    let problem: Problem?
}

extension JobView.Problem {
    init(_ error: ScriptError) {
        self.init(
            code: "\(error.code)",
            message: error.message,
            traceback: error.traceback,
            failures: error.report?.failures.map(\.message) ?? []
        )
    }
}
