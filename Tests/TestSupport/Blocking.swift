internal import Glibc

/// Runs a body that blocks on a thread of its own, as an engine's workers would.
///
/// On one of the few threads that all tasks share, two such bodies that wait for other tasks would wait for ever.
public func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
{
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
        let job = Unmanaged.passRetained(Job { continuation.resume(with: Swift.Result(catching: body)) })
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { Job.run($0) }, job.toOpaque())
        precondition(code == 0, "no thread could be made")
        pthread_detach(thread)
    }
}

private final class Job {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let pointer { Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().body() }
        return nil
    }
}
