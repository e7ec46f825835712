internal import LuaVM
internal import Scheduling

/// Keeps userdata alive in a table of Lua's, by places that are used again.
///
/// Confined to the script thread.
final class AnchorTable {
    let table: LuaReference
    /// The highest place there is; the first one is 1.
    private var count: UInt32 = 0
    private let free = PlainBuffer<UInt32>()
    /// Places that are to be let go of together.
    private let leaving = PlainBuffer<UInt32>()

    init(table: LuaReference) { self.table = table }

    /// Keeps the userdata at an index; says where. [-0, +0, m]
    @inline(__always)
    func add(at index: Int32, _ state: LuaState) -> UInt32 {
        let place = takePlace()
        set(place, at: index, state)
        return place
    }

    /// A place where nothing is kept.
    @inline(__always)
    func takePlace() -> UInt32 {
        if let used = free.popLast() { return used }
        count += 1
        return count
    }

    /// Keeps the userdata at an index at a place that was taken. [-0, +0, m]
    @inline(__always)
    func set(_ place: UInt32, at index: Int32, _ state: LuaState) {
        state.noteKept()
        let index = state.absolute(index)
        table.push(state)
        state.pushValue(index)
        state.rawSet(-2, Int(place))
        state.pop()
    }

    /// Calls the function that is a user value of the userdata at a place, with that as its argument, on an idle root.
    @inline(__always)
    func startBody(_ userValue: Int32, at place: UInt32, on root: LuaRoot) -> LuaRoot.Outcome {
        root.startBody(userValue, in: table, at: Int(place))
    }

    /// Pushes the userdata at a place. [-0, +1, -]
    @inline(__always)
    func push(_ place: UInt32, _ state: LuaState) {
        table.push(state)
        _ = state.rawGet(-1, Int(place))
        state.replace(-2)
    }

    /// Pushes a function that is a user value of the userdata at a place, which it loses, and the userdata; lets go of the one at another
    /// place, if that is not 0. Only in a series over the table. [-0, +3, -]
    @inline(__always)
    func take(_ userValue: UInt32, at place: UInt32, dropping former: UInt32, _ state: LuaState) {
        state.takeUserValue(Int32(userValue), at: Int(place), dropping: Int(former))
        if former != 0 { isFree(former, state) }
    }

    /// Lets go of the userdata at a place. [-0, +0, -]
    @inline(__always)
    func remove(_ place: UInt32, _ state: LuaState) {
        state.drop(keptAt: Int(place), of: table)
        isFree(place, state)
    }

    /// The userdata at a place is let go of by the next call of ``removeLeaving(_:)``.
    @inline(__always)
    func removeSoon(_ place: UInt32) { leaving.append(place) }

    /// Lets go of all that is to be let go of soon. [-0, +0, -]
    @inline(__always)
    func removeLeaving(_ state: LuaState) {
        if !leaving.isEmpty { removeTogether(state) }
    }

    private func removeTogether(_ state: LuaState) {
        table.push(state)
        for place in leaving.elements {
            state.push(false)
            state.rawSet(-2, Int(place))
            isFree(place, state)
        }
        state.pop()
        leaving.truncate()
    }

    @inline(__always)
    private func isFree(_ place: UInt32, _ state: LuaState) {
        state.noteDropped()
        free.append(place)
        // What is kept in a row from now on lies in a row again.
        if free.count == Int(count) {
            free.truncate()
            count = 0
        }
    }
}
