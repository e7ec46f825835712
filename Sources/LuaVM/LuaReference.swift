internal import CLua
internal import Synchronization

/// Keeps a Lua value alive as long as the reference lives.
///
/// May be dropped on any thread: the place is put on a list, which the machine empties on its own thread. Everything
/// else may only be used on the thread of the machine.
public final class LuaReference: Sendable {
    let slot: Int32
    let pool: ReferencePool

    init(slot: Int32, pool: ReferencePool) {
        self.slot = slot
        self.pool = pool
    }

    deinit { pool.release(slot) }

    /// Pushes the value, which must be of the same universe. [-0, +1, -]
    public func push(_ state: LuaState) { clua_push_reference(state.raw, slot) }

    /// Whether it belongs to this machine, and the machine is open.
    public func belongs(to vm: LuaVM) -> Bool { vm.references === pool && !vm.isClosed }
}

/// The places of references that were dropped and are to be freed on the thread of the machine.
final class ReferencePool: Sendable {
    private struct Dropped {
        var slots: [Int32] = []
        var isClosed = false
    }

    private let dropped = Mutex(Dropped())
    /// Whether there may be something to free; read without the lock.
    private let hasDropped = Atomic(false)

    func release(_ slot: Int32) {
        dropped.withLock {
            guard !$0.isClosed else { return }
            $0.slots.append(slot)
        }
        hasDropped.store(true, ordering: .releasing)
    }

    var mayHaveDropped: Bool { hasDropped.load(ordering: .acquiring) }

    func takeDropped() -> [Int32] {
        hasDropped.store(false, ordering: .relaxed)
        return dropped.withLock {
            let slots = $0.slots
            $0.slots = []
            return slots
        }
    }

    func close() {
        dropped.withLock {
            $0.isClosed = true
            $0.slots = []
        }
    }
}
