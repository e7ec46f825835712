internal import LuaVM

/// The Lua values of an operation.
///
/// Few operations have more than three or four of them. So the userdata has as many user values, and each of these values gets one when it
/// is set first, as ``OperationValuePlaces`` remembers. Where there are more, the last user value is a table of all that follow.
enum OperationValue: UInt32 {
    case completionBlock
    /// Its results or its error.
    case outcome
    /// The only dependency, or an array of them.
    case dependencies
    /// Its name, or a table: `userInfo`, hooks, options that few have, a subclass's own fields, and the name.
    case traits
    /// An operation keeps its queue, so that `op.queue` is there as long as the operation is.
    case queue
    /// The function that is its body, or the table of an invocation. Only where the script thread runs the body.
    case body
    /// Where the object is kept that an operation of another scheduler's stands for.
    case foreign

    /// How many user values an operation gets.
    @inline(__always)
    static func count(_ kind: OperationBlock.Kind) -> UInt32 {
        switch kind {
        case .work: 3
        case .main, .start, .group, .gate, .sleep, .simulated: 4
        }
    }
}

/// Which user value of an operation's is which of its values.
struct OperationValuePlaces {
    /// Four bits for each value: 0 where it has no place, the number of a user value, or that it is in the table. Above them how many
    /// user values there are.
    private var bits: UInt32

    private static let inTable: UInt32 = 15
    private static let countShift: UInt32 = 28

    init(count: UInt32) { bits = count << Self.countShift }

    /// The number of user values.
    @inline(__always)
    var count: UInt32 { bits >> Self.countShift }

    /// Where a value is; 0 for nowhere.
    @inline(__always)
    subscript(value: OperationValue) -> UInt32 {
        get { bits >> (value.rawValue * 4) & 15 }
        set { bits = bits & ~(15 << (value.rawValue * 4)) | newValue << (value.rawValue * 4) }
    }

    /// Whether a value is in the table.
    @inline(__always)
    func isInTable(_ value: OperationValue) -> Bool { self[value] == Self.inTable }

    mutating func putIntoTable(_ value: OperationValue) { self[value] = Self.inTable }

    /// The first user value that is nobody's; 0 for none.
    var free: UInt32 {
        var used: UInt32 = 1
        var left = bits & (1 << Self.countShift - 1)
        var hasTable = false
        while left != 0 {
            let place = left & 15
            left >>= 4
            if place == Self.inTable { hasTable = true } else { used |= 1 << place }
        }
        if hasTable { used |= 1 << count }
        let place = UInt32((~used).trailingZeroBitCount)
        return place <= count ? place : 0
    }

    /// The value whose place is a user value, unless that is the table's.
    func owner(of place: UInt32) -> OperationValue? {
        var raw: UInt32 = 0
        while let value = OperationValue(rawValue: raw) {
            if self[value] == place { return value }
            raw += 1
        }
        return nil
    }
}

extension LuaState {
    /// Pushes a value of the operation at an index; nil where it has none. [-0, +1, -]
    @inline(__always)
    @discardableResult
    func getValue(_ value: OperationValue, of block: OperationPointer, at index: Int32) -> LuaType {
        let place = block.pointee.values[value]
        if place == 0 {
            pushNil()
            return .nil
        }
        if !block.pointee.values.isInTable(value) { return getUserValue(index, Int32(place)) }
        getUserValue(index, Int32(block.pointee.values.count))
        let type = rawGet(-1, Int(value.rawValue) + 1)
        replace(-2)
        return type
    }

    /// Makes the value on top one of the operation's at an index. [-1, +0, m]
    @inline(__always)
    func setValue(_ value: OperationValue, of block: OperationPointer, at index: Int32) {
        let place = block.pointee.values[value]
        if place != 0, !block.pointee.values.isInTable(value) {
            setUserValue(index, Int32(place))
        } else {
            placeValue(value, of: block, at: index)
        }
    }

    /// Takes a value of the operation's at an index away: its place is free. [-0, +0, m]
    func removeValue(_ value: OperationValue, of block: OperationPointer, at index: Int32) {
        guard block.pointee.values[value] != 0 else { return }
        let index = absolute(index)
        pushNil()
        setValue(value, of: block, at: index)
        block.pointee.values[value] = 0
    }

    /// The same for a value that has no place, or is in the table. [-1, +0, m]
    @inline(never)
    private func placeValue(_ value: OperationValue, of block: OperationPointer, at index: Int32) {
        let index = absolute(index)
        let free = block.pointee.values[value] == 0 ? block.pointee.values.free : 0
        if free != 0 {
            block.pointee.values[value] = free
            setUserValue(index, Int32(free))
            return
        }
        let last = block.pointee.values.count
        if let owner = block.pointee.values.owner(of: last) {
            newTable(array: 4)
            getUserValue(index, Int32(last))
            rawSet(-2, Int(owner.rawValue) + 1)
            block.pointee.values.putIntoTable(owner)
            pushValue(-1)
            setUserValue(index, Int32(last))
        } else {
            getUserValue(index, Int32(last))
        }
        insert(-2)
        rawSet(-2, Int(value.rawValue) + 1)
        pop()
        block.pointee.values.putIntoTable(value)
    }
}
