internal import LuaVM

/// The Lua values of an operation.
///
/// Few operations have more than three or four of these values. Therefore the userdata has that many user
/// values, and a value receives one of them when it is first set; ``OperationValuePlaces`` keeps the
/// assignment. If there are more values, the last user value is a table of all that follow.
enum OperationValue: UInt32, CaseIterable {
    case completionBlock
    /// Its results or its error.
    case outcome
    /// The only dependency, or an array of them.
    case dependencies
    /// Its name, or a table: `userInfo`, hooks, options that few have, a subclass's own fields, and the name.
    case traits
    /// Its queue, kept so that `op.queue` is available as long as the operation is.
    case queue
    /// The function that is its body, or the table of an invocation. Only if the script thread runs the body.
    case body
    /// The host object of the operation of another scheduler that this operation represents.
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

/// The assignment of an operation's values to its user values.
struct OperationValuePlaces {
    /// The lowest bits have three bits for each value: 0 if the value has no place, `inTable` if it is in the table,
    /// otherwise the number of its user value. The next bits have the number of user values, which is at most 5. The
    /// highest bits have one bit for each user value, beginning with the first: 1 if it is in use.
    private var bits: UInt32

    private static let inTable: UInt32 = 7
    private static let countShift: UInt32 = 21
    private static let usedShift: UInt32 = 24

    init(count: UInt32) { bits = count << Self.countShift }

    /// The number of user values.
    @inline(__always)
    var count: UInt32 { bits >> Self.countShift & 7 }

    /// The place of a value; 0 if it has none.
    @inline(__always)
    subscript(value: OperationValue) -> UInt32 { bits >> (value.rawValue * 3) & 7 }

    /// The number of the user value that holds a value; nil if the value has no place, or is in the table.
    @inline(__always)
    func userValue(_ value: OperationValue) -> UInt32? {
        let place = self[value]
        return place == 0 || place == Self.inTable ? nil : place
    }

    /// Whether a value is in the table.
    @inline(__always)
    func isInTable(_ value: OperationValue) -> Bool { self[value] == Self.inTable }

    /// The first user value that is not in use.
    @inline(__always)
    private var firstFree: UInt32 { UInt32((~(bits >> Self.usedShift) & ~1).trailingZeroBitCount) }

    /// Gives a value without a place the first unused user value; 0 if all are in use.
    @inline(__always)
    mutating func give(_ value: OperationValue) -> UInt32 {
        let place = firstFree
        guard place <= count, self[value] == 0 else { return 0 }
        bits |= 1 << (Self.usedShift + place) | place << (value.rawValue * 3)
        return place
    }

    /// Takes the place of a value away.
    @inline(__always)
    mutating func release(_ value: OperationValue) {
        let place = self[value]
        bits &= ~(7 << (value.rawValue * 3))
        // The table stays.
        if place != Self.inTable { bits &= ~(1 << (Self.usedShift + place)) }
    }

    /// Notes that a value is in the table, whose place is the last user value.
    mutating func putIntoTable(_ value: OperationValue) { bits |= Self.inTable << (value.rawValue * 3) }

    /// The value that a user value holds; nil if it holds the table.
    func owner(of place: UInt32) -> OperationValue? {
        OperationValue.allCases.first { self[$0] == place }
    }
}

extension LuaState {
    /// Pushes a value of the operation at an index, or nil if it has none. [-0, +1, -]
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

    /// Sets a value of the operation at an index to what is on top. [-1, +0, m]
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

    /// Removes a value of the operation at an index, and frees its place. [-0, +0, m]
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
