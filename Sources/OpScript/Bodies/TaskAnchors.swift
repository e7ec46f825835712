internal import LuaVM
internal import Scheduling

/// Keeps the coroutines of tasks in a Lua table, by slot.
///
/// Confined to the script thread. The coroutine of a deallocated task is released at the next ``drain(_:)``, since a
/// task may be deallocated anywhere.
final class TaskAnchors {
    private let table: LuaReference
    private var slotCount = 0
    private let free = PlainBuffer<Int32>()
    private let dropped = PlainBuffer<Int32>()
    private var taskCount = 0

    init(table: LuaReference) { self.table = table }

    /// Makes a coroutine and keeps it; returns its slot, too. [-0, +0, m]
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

    /// Notes one more task that will drop its slot. All tasks share one reference to this object, which the
    /// first task takes: counting a reference for each task would cost more than everything else.
    func hold() {
        if taskCount == 0 { _ = Unmanaged.passUnretained(self).retain() }
        taskCount += 1
    }

    /// Notes that the coroutine in a slot is no longer needed. True for the last task, which has to release the shared
    /// reference to this object.
    func drop(_ slot: Int32) -> Bool {
        dropped.append(slot)
        taskCount -= 1
        return taskCount == 0
    }

    /// Whether so many slots were dropped that they should be drained although there is other work.
    @inline(__always)
    var hasMany: Bool { dropped.count >= 64 }

    /// Releases the coroutines in dropped slots.
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
