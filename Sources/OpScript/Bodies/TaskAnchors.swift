internal import LuaVM
internal import Scheduling

/// Keeps the coroutines of tasks in a table of Lua's, by slot.
///
/// Confined to the script thread. What a task leaves behind is let go of at the next ``drain(_:)``, since a task may go
/// away anywhere.
final class TaskAnchors {
    private let table: LuaReference
    private var slotCount = 0
    private let free = PlainBuffer<Int32>()
    private let dropped = PlainBuffer<Int32>()
    private var taskCount = 0

    init(table: LuaReference) { self.table = table }

    /// Makes a coroutine and keeps it; says where. [-0, +0, m]
    func makeRoot(_ state: LuaState) -> (LuaRoot, Int32) {
        let slot: Int32
        if let used = free.popLast() {
            slot = used
        } else {
            slotCount += 1
            slot = Int32(slotCount)
        }
        return (LuaRoot.make(state, in: table, at: Int(slot)), slot)
    }

    /// There is one more task that will drop its slot. Tasks hold this together, the first one for all: counting it for
    /// each would cost more than the rest.
    func hold() {
        if taskCount == 0 { _ = Unmanaged.passUnretained(self).retain() }
        taskCount += 1
    }

    /// What is in a slot is not needed any more. Says whether that was the last task there was, which has to let go of
    /// this.
    func drop(_ slot: Int32) -> Bool {
        dropped.append(slot)
        taskCount -= 1
        return taskCount == 0
    }

    /// Whether so much was dropped that somebody should let go of it, though there is other work.
    @inline(__always)
    var hasMany: Bool { dropped.count >= 64 }

    /// Lets go of what was dropped.
    @inline(__always)
    func drain(_ state: LuaState) {
        if !dropped.isEmpty { clear(state) }
    }

    private func clear(_ state: LuaState) {
        while let slot = dropped.popLast() {
            LuaRoot.drop(state, in: table, at: Int(slot))
            free.append(slot)
        }
    }
}
