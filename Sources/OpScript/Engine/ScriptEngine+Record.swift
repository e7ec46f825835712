public import OpScriptRecord

extension ScriptEngine {
    /// The operations of scripts as they end, with all their moments and causes, from now on.
    ///
    /// Each call makes a separate subscriber; nothing is dropped, so operations that a subscriber does not
    /// take stay in memory. Moments count from the beginning of the run. The sequence ends when the engine
    /// has been shut down, and at once if ``Configuration/recordsRuns`` is not set. Call it from any thread.
    ///
    /// ```swift
    /// for await operation in engine.record { print(operation.name, operation.duration) }
    /// ```
    public var record: RecordedOperationSequence {
        RecordedOperationSequence(configuration.recordsRuns ? link.operations.subscribe() : nil)
    }
}

/// Operations that have ended, as ``ScriptEngine/record`` delivers them; iterate them only once.
public struct RecordedOperationSequence: AsyncSequence, Sendable {
    /// An operation that has ended.
    public typealias Element = RecordedOperation
    /// Iterating never fails.
    public typealias Failure = Never

    private let subscription: BatchSubscription<[RecordedOperation]>?

    init(_ subscription: BatchSubscription<[RecordedOperation]>?) { self.subscription = subscription }

    /// Begins to take operations.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription) }

    /// Takes one operation after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: BatchSubscription<[RecordedOperation]>?
        /// The operations that were taken from the subscription, and the place of the next one.
        private var operations: [RecordedOperation] = []
        private var place = 0

        init(_ subscription: BatchSubscription<[RecordedOperation]>?) { self.subscription = subscription }

        /// The next operation, as soon as there is one; nil at the end.
        public mutating func next() async -> RecordedOperation? { await next(isolation: nil) }

        /// The same, without leaving the calling actor if an operation is already there.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RecordedOperation? {
            while place == operations.count {
                guard let more = await subscription?.next() else { return nil }
                operations = Array(more.batches.joined())
                place = 0
            }
            place += 1
            return operations[place - 1]
        }
    }
}
