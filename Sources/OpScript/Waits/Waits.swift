/// What coroutines wait for: `await` and all that is built on it.
///
/// Owns the list of waits and the shields. Called by every binding that waits, and by every part that ends waits.
final class Waits: RuntimePart {
    let operations: Operations

    let list = WaitList()
    /// The waits of `await.any`, by task, which know the operation that finished first.
    var anyWaits: [ObjectIdentifier: Wait] = [:]
    var shields = Shields()
    var nextWaitSequence: UInt64 = 0
    /// Waits of `clock.run()`.
    var clockRuns: [Wait] = []

    init(_ foundation: RuntimeFoundation, operations: Operations) {
        self.operations = operations
        super.init(foundation)
    }
}
