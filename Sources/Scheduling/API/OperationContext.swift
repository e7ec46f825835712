internal import Synchronization

/// The view of its own operation that a body has while it executes.
public final class OperationContext: Sendable {
    private let flag = Atomic<Bool>(false)

    init() {}

    /// Whether the operation was cancelled or its time ran out; then the body should return soon.
    public var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}
