internal import LuaVM
internal import Scheduling

/// Keeps userdata alive in a Lua table, by places that are reused.
///
/// Confined to the script thread.
final class AnchorTable {
    let table: LuaReference
    /// The highest existing place; the first place is 1.
    private var count: UInt32 = 0
    private let free = PlainBuffer<UInt32>()

    init(table: LuaReference) { self.table = table }

    /// Keeps the userdata at an index; returns its place. [-0, +0, m]
    @inline(__always)
    func add(at index: Int32, _ state: LuaState) -> UInt32 {
        let place = takePlace()
        set(place, at: index, state)
        return place
    }

    /// Takes a free place.
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

    /// Calls, on an idle root, the function in a user value of the userdata at a place, with the userdata as argument.
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

    /// Releases the userdata at a place. [-0, +0, -]
    @inline(__always)
    func remove(_ place: UInt32, _ state: LuaState) {
        state.drop(keptAt: Int(place), of: table)
        isFree(place, state)
    }

    @inline(__always)
    private func isFree(_ place: UInt32, _ state: LuaState) {
        state.noteDropped()
        free.append(place)
        // All places are free: the next places are consecutive again.
        if free.count == Int(count) {
            free.truncate()
            count = 0
        }
    }
}
