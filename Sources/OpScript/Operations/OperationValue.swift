internal import LuaVM

/// The Lua values of an operation.
///
/// Few operations have more than three or four of them. So the userdata has as many user values, and each of these
/// values gets one when it is set first, as ``OperationValuePlaces`` remembers. Where there are more, the last user
/// value is a table of all that follow.
enum OperationValue: UInt32, CaseIterable {
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
    static func count(_ kind: OperationView.Kind) -> UInt32 {
        switch kind {
        case .work: 3
        case .main, .start, .group, .gate, .sleep, .simulated: 4
        }
    }
}

/// Which user value of an operation's is which of its values.
struct OperationValuePlaces {
    /// Three bits for each value: 0 where it has no place, the number of a user value, or that it is in the table.
    /// Above them how many user values there are, at most 5, and a bit for each that is somebody's, from 1 on.
    private var bits: UInt32

    private static let inTable: UInt32 = 7
    private static let countShift: UInt32 = 21
    private static let usedShift: UInt32 = 24

    init(count: UInt32) { bits = count << Self.countShift }

    /// The number of user values.
    @inline(__always)
    var count: UInt32 { bits >> Self.countShift & 7 }

    /// Where a value is; 0 for nowhere.
    @inline(__always)
    subscript(value: OperationValue) -> UInt32 { bits >> (value.rawValue * 3) & 7 }

    /// The user value that is a value; nil where it is nowhere, or in the table.
    @inline(__always)
    func userValue(_ value: OperationValue) -> UInt32? {
        let place = self[value]
        return place == 0 || place == Self.inTable ? nil : place
    }

    /// Whether a value is in the table.
    @inline(__always)
    func isInTable(_ value: OperationValue) -> Bool { self[value] == Self.inTable }

    /// The first user value that is nobody's.
    @inline(__always)
    private var firstFree: UInt32 { UInt32((~(bits >> Self.usedShift) & ~1).trailingZeroBitCount) }

    /// Gives a value that has no place the first user value that is nobody's; 0 where there is none.
    @inline(__always)
    mutating func give(_ value: OperationValue) -> UInt32 {
        let place = firstFree
        guard place <= count, self[value] == 0 else { return 0 }
        bits |= 1 << (Self.usedShift + place) | place << (value.rawValue * 3)
        return place
    }

    /// A value has no place any more.
    @inline(__always)
    mutating func release(_ value: OperationValue) {
        let place = self[value]
        bits &= ~(7 << (value.rawValue * 3))
        // The table stays.
        if place != Self.inTable { bits &= ~(1 << (Self.usedShift + place)) }
    }

    /// A value is in the table, whose place is the last user value.
    mutating func putIntoTable(_ value: OperationValue) { bits |= Self.inTable << (value.rawValue * 3) }

    /// The value whose place is a user value; nil where that is the table's.
    func owner(of place: UInt32) -> OperationValue? {
        OperationValue.allCases.first { self[$0] == place }
    }
}

extension LuaState {
    /// Pushes a value of the operation at an index; nil where it has none. [-0, +1, -]
    @inline(__always)
    @discardableResult
    func getValue(_ value: OperationValue, of view: OperationPointer, at index: Int32) -> LuaType {
        let place = view.pointee.values[value]
        if place == 0 {
            pushNil()
            return .nil
        }
        if !view.pointee.values.isInTable(value) { return getUserValue(index, Int32(place)) }
        getUserValue(index, Int32(view.pointee.values.count))
        let type = rawGet(-1, Int(value.rawValue) + 1)
        replace(-2)
        return type
    }

    /// Makes the value on top one of the operation's at an index. [-1, +0, m]
    @inline(__always)
    func setValue(_ value: OperationValue, of view: OperationPointer, at index: Int32) {
        var place = view.pointee.values[value]
        if place == 0 { place = view.pointee.values.give(value) }
        if place != 0, !view.pointee.values.isInTable(value) {
            setUserValue(index, Int32(place))
        } else {
            setValueInTable(value, of: view, at: index)
        }
    }

    /// Takes a value of the operation's at an index away: its place is free. [-0, +0, m]
    @inline(__always)
    func removeValue(_ value: OperationValue, of view: OperationPointer, at index: Int32) {
        guard view.pointee.values[value] != 0 else { return }
        let index = absolute(index)
        pushNil()
        setValue(value, of: view, at: index)
        view.pointee.values.release(value)
    }

    /// The same for a value that is in the table, or has to go there. [-1, +0, m]
    @inline(never)
    private func setValueInTable(_ value: OperationValue, of view: OperationPointer, at index: Int32) {
        let index = absolute(index)
        let last = view.pointee.values.count
        if let owner = view.pointee.values.owner(of: last) {
            newTable(array: 4)
            getUserValue(index, Int32(last))
            rawSet(-2, Int(owner.rawValue) + 1)
            view.pointee.values.putIntoTable(owner)
            pushValue(-1)
            setUserValue(index, Int32(last))
        } else {
            getUserValue(index, Int32(last))
        }
        insert(-2)
        rawSet(-2, Int(value.rawValue) + 1)
        pop()
        view.pointee.values.putIntoTable(value)
    }
}
