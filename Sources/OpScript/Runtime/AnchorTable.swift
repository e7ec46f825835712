internal import LuaVM
internal import Scheduling

/// Keeps userdata alive in a table of Lua's, by places that are used again.
///
/// Confined to the script thread.
final class AnchorTable {
    private let table: LuaReference
    /// Where the userdata at each place lies, from the first place on, which is 1.
    private let addresses = PlainBuffer<UnsafeMutableRawPointer?>()
    private let free = PlainBuffer<UInt32>()

    init(table: LuaReference) { self.table = table }

    /// Keeps the userdata at an index, which lies at an address; says where. [-0, +0, m]
    @inline(__always)
    func add(_ address: UnsafeMutableRawPointer, at index: Int32, _ state: LuaState) -> UInt32 {
        let place: UInt32
        if let used = free.popLast() {
            place = used
            addresses[Int(used) - 1] = address
        } else {
            addresses.append(address)
            place = UInt32(addresses.count)
        }
        let index = state.absolute(index)
        table.push(state)
        state.pushValue(index)
        state.rawSet(-2, Int(place))
        state.pop()
        return place
    }

    /// Where the userdata at a place lies.
    @inline(__always)
    subscript(place: UInt32) -> UnsafeMutableRawPointer? { addresses[Int(place) - 1] }

    /// Pushes the userdata at a place. [-0, +1, -]
    @inline(__always)
    func push(_ place: UInt32, _ state: LuaState) {
        assert(addresses[Int(place) - 1] != nil, "nothing is anchored at \(place)")
        table.push(state)
        _ = state.rawGet(-1, Int(place))
        state.replace(-2)
    }

    /// Lets go of the userdata at a place. [-0, +0, -]
    @inline(__always)
    func remove(_ place: UInt32, _ state: LuaState) {
        assert(addresses[Int(place) - 1] != nil, "nothing is anchored at \(place)")
        table.push(state)
        // `false` and not nil, so that the table stays an array.
        state.push(false)
        state.rawSet(-2, Int(place))
        state.pop()
        addresses[Int(place) - 1] = nil
        free.append(place)
    }
}
