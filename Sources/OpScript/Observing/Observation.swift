internal import LuaVM
internal import Scheduling

/// An observer's registration for the changes of a property.
final class Observation {
    /// KVO's options, as the script gave them.
    struct Options: OptionSet {
        let rawValue: UInt8

        /// One call at once, with the present value.
        static let initial = Options(rawValue: 1)
        /// One call before the call for each change.
        static let prior = Options(rawValue: 2)
    }

    /// The property, or `*` for all.
    let key: String
    let options: Options
    /// The function to call; released when the observation ends. Nil if the userdata of the object has the function, so
    /// that an object and an observer that refers to it are collected together.
    private(set) var function: LuaReference?
    /// Its place in the table of that userdata.
    var number = 0
    private(set) var isValid = true
    /// Whether a call of its function has not returned; later changes queue up behind that call.
    var isBusy = false
    private var pending: [ObservedChange] = []
    /// The index of the first pending change; the changes before it have been taken.
    private var firstPending = 0

    init(key: String, function: LuaReference?, _ options: Options) {
        self.key = key
        self.options = options
        self.function = function
    }

    func wants(_ key: String) -> Bool { isValid && (self.key == "*" || self.key == key) }

    var hasPending: Bool { firstPending < pending.count }

    func addPending(_ change: ObservedChange) { pending.append(change) }

    /// - Complexity: O(1), amortised.
    func takePending() -> ObservedChange? {
        guard hasPending else { return nil }
        let change = pending[firstPending]
        firstPending += 1
        if firstPending * 2 >= pending.count {
            pending.removeSubrange(..<firstPending)
            firstPending = 0
        }
        return change
    }

    /// Ends the observation, and releases its function.
    func invalidate() {
        isValid = false
        pending = []
        firstPending = 0
        function = nil
    }
}

/// A change of a property.
struct ObservedChange {
    /// The userdata of the object that changed.
    let object: LuaReference
    let key: String
    var old: PropertyValue = .nil
    var new: PropertyValue = .nil
    /// For `operations`: the operation that was added, or removed.
    var inserted: LuaReference?
    var removed: LuaReference?
    /// Whether it announces the change that the next call has.
    private(set) var isPrior = false

    /// The announcement of the change, for observers with ``Observation/Options/prior``.
    var prior: ObservedChange {
        var announcement = self
        announcement.isPrior = true
        announcement.new = .nil
        return announcement
    }
}

/// A property's value, old or new.
enum PropertyValue {
    case `nil`
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case reference(LuaReference)

    func push(_ state: LuaState) {
        switch self {
        case .nil: state.pushNil()
        case .boolean(let value): state.push(value)
        case .integer(let value): state.push(value)
        case .number(let value): state.push(value)
        case .text(let value): state.push(value)
        case .reference(let value): value.push(state)
        }
    }
}

/// An operation's view with a reference to its userdata, so that the view stays valid.
struct OperationHandle {
    let view: OperationPointer
    let reference: LuaReference
}
