internal import LuaVM
internal import Scheduling

/// Keeps the coroutines of tasks in a table of Lua's, by slot.
///
/// Confined to the script thread. What a task leaves behind is let go of at the next ``drain(_:)``, since a task may go away anywhere.
final class TaskAnchors {
    private let table: LuaReference
    private var slotCount = 0
    private let free = PlainBuffer<Int32>()
    private let dropped = PlainBuffer<Int32>()

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

    /// What is in a slot is not needed any more.
    func drop(_ slot: Int32) { dropped.append(slot) }

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
