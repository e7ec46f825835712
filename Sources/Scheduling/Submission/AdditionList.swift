internal import Synchronization

/// New operations that any thread adds without taking the scheduler's lock.
///
/// An intrusive list of the operations, the newest first; the holder of the lock takes all of it before anything else,
/// and in the order of addition. As with ``AdditionRing``, the scheduler says when a thread that adds has to take the
/// lock.
struct AdditionList: ~Copyable {
    /// Whether an operation on its way to a queue fits into the list.
    @inline(__always)
    static func takes(_ queue: QueueID) -> Bool { queue.index <= AdditionLink.lastQueue }

    /// The address of the newest operation, which is retained; 0 for none.
    private let newest = Atomic<UInt>(0)

    /// From any thread.
    var isEmpty: Bool {
        @inline(__always) get { newest.load(ordering: .sequentiallyConsistent) == 0 }
    }

    /// Adds an operation that has not been shared yet.
    @inline(__always)
    func push(_ operation: ScheduledOperation, to queue: QueueID) {
        let address = UInt(bitPattern: Unmanaged.passRetained(operation).toOpaque())
        var before = newest.load(ordering: .relaxed)
        while true {
            operation.additionLink = AdditionLink(previous: before, queue: queue)
            let (isDone, found) = newest.compareExchange(
                expected: before,
                desired: address,
                ordering: .sequentiallyConsistent
            )
            if isDone { return }
            before = found
        }
    }

    /// Takes all, the oldest first; `body` receives them one by one. Under the lock.
    func takeAll(_ body: (ScheduledOperation, QueueID) -> Void) {
        var address = newest.exchange(0, ordering: .acquiringAndReleasing)
        var oldest: UInt = 0
        while let operation = Self.operation(address) {
            let link = operation.takeUnretainedValue().additionLink
            address = link.previous
            operation.takeUnretainedValue().additionLink = AdditionLink(previous: oldest, queue: link.queue)
            oldest = UInt(bitPattern: operation.toOpaque())
        }
        while let operation = Self.operation(oldest)?.takeRetainedValue() {
            let link = operation.additionLink
            oldest = link.previous
            operation.leaveAdditionList()
            body(operation, link.queue)
        }
    }

    private static func operation(_ address: UInt) -> Unmanaged<ScheduledOperation>? {
        UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque)
    }
}

/// The place of an operation in the list of additions: its queue and its neighbour, in the eight bytes of an
/// identity.
struct AdditionLink {
    /// The last queue that has room beside an address, whose upper 16 bits are 0.
    static let lastQueue: UInt32 = 0xffff
    private static let addressBits: UInt64 = 48

    /// The address of the neighbour; 0 for none.
    var previous: UInt
    var queue: QueueID

    init(previous: UInt, queue: QueueID) {
        self.previous = previous
        self.queue = queue
    }

    init(_ packed: OperationID) {
        let bits = UInt64(packed.generation) << 32 | UInt64(packed.slot)
        previous = UInt(bits & (1 << Self.addressBits - 1))
        queue = QueueID(index: UInt32(bits >> Self.addressBits))
    }

    var packed: OperationID {
        let bits = UInt64(queue.index) << Self.addressBits | UInt64(previous)
        return OperationID(slot: UInt32(truncatingIfNeeded: bits), generation: UInt32(bits >> 32))
    }
}
