internal import Synchronization

/// New operations that any thread adds without taking the scheduler's lock.
///
/// A list through the operations themselves, the newest first; whoever holds the lock takes all of it before anything else,
/// and in the order of addition. When somebody who adds has to take the lock is said where the scheduler says it for
/// ``AdditionRing``.
struct AdditionList: ~Copyable {
    /// The address of the newest operation, which is held; 0 for none.
    private let newest = Atomic<UInt>(0)

    /// A look from any thread.
    var isEmpty: Bool {
        @inline(__always) get { newest.load(ordering: .sequentiallyConsistent) == 0 }
    }

    /// Adds an operation that nobody else knows of yet.
    @inline(__always)
    func push(_ operation: ScheduledOperation, to queue: QueueID) {
        operation.additionQueue = queue
        let address = UInt(bitPattern: Unmanaged.passRetained(operation).toOpaque())
        var before = newest.load(ordering: .relaxed)
        while true {
            operation.previousAddition = before
            let (isDone, found) = newest.compareExchange(
                expected: before,
                desired: address,
                ordering: .sequentiallyConsistent
            )
            if isDone { return }
            before = found
        }
    }

    /// Takes all, the oldest first; `body` gets them one by one. Under the lock.
    func takeAll(_ body: (ScheduledOperation) -> Void) {
        var address = newest.exchange(0, ordering: .acquiringAndReleasing)
        var oldest: UInt = 0
        while let operation = Self.operation(address) {
            address = operation.takeUnretainedValue().previousAddition
            operation.takeUnretainedValue().previousAddition = oldest
            oldest = UInt(bitPattern: operation.toOpaque())
        }
        while let operation = Self.operation(oldest)?.takeRetainedValue() {
            oldest = operation.previousAddition
            body(operation)
        }
    }

    private static func operation(_ address: UInt) -> Unmanaged<ScheduledOperation>? {
        UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque)
    }
}
