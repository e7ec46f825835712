internal import LuaVM

/// Reads a table of named options, and refuses names that its caller did not read.
final class OptionTable {
    private let runtime: ScriptRuntime
    private let state: LuaState
    private let index: Int32
    private let what: String
    private var known: [String] = []
    /// The names in the table: mostly fewer than the caller reads.
    private var given: [String] = []

    init(_ runtime: ScriptRuntime, _ state: LuaState, _ index: Int32, of what: String) {
        self.runtime = runtime
        self.state = state
        self.index = state.absolute(index)
        self.what = what
        known.reserveCapacity(8)
        state.pushNil()
        while state.nextUnchecked(self.index) {
            state.pop()
            if state.type(-1) == .string, let key = state.string(-1) { given.append(key) }
        }
    }

    /// Pushes an option; false, with nothing pushed, if it is not given. [-0, +0 | 1, -]
    func push(_ name: String) -> Bool {
        known.append(name)
        guard given.contains(name) else { return false }
        _ = state.rawGet(index, name)
        return true
    }

    func number(_ name: String, atLeast least: Double? = nil) throws(LuaRaise) -> Double? {
        guard push(name) else { return nil }
        defer { state.pop() }
        guard let value = state.number(-1) else { throw mismatch(name, "number") }
        guard !value.isNaN else {
            throw LuaRaise(.argument, "bad value for '\(name)' (number expected, got NaN)")
        }
        if let least, value < least {
            throw LuaRaise(
                .argument,
                "bad value for '\(name)' (a number of at least \(format(seconds: least)) expected, got "
                    + "\(format(seconds: value)))"
            )
        }
        return value
    }

    /// The number of seconds after which something happens. It must not be infinite: something that never happens would
    /// keep the run going.
    func seconds(_ name: String, atLeast least: Double? = nil) throws(LuaRaise) -> Double? {
        let seconds = try number(name, atLeast: least)
        if let seconds, !seconds.isFinite {
            throw LuaRaise(
                .argument,
                "bad value for '\(name)' (a finite number of seconds expected, got \(format(seconds: seconds)))"
            )
        }
        return seconds
    }

    func wholeNumber(_ name: String, atLeast least: Int) throws(LuaRaise) -> Int? {
        guard push(name) else { return nil }
        defer { state.pop() }
        guard let value = state.wholeNumber(-1) else {
            let got = runtime.operations.noInteger(state, -1)
            throw LuaRaise(.argument, "bad value for '\(name)' (integer expected, got \(got))")
        }
        guard value >= least else {
            throw LuaRaise(.argument, "bad value for '\(name)' (at least \(least) expected, got \(value))")
        }
        return value
    }

    func string(_ name: String) throws(LuaRaise) -> String? {
        guard push(name) else { return nil }
        defer { state.pop() }
        guard state.type(-1) == .string else { throw mismatch(name, "string") }
        return state.string(-1)
    }

    func boolean(_ name: String) throws(LuaRaise) -> Bool? {
        guard push(name) else { return nil }
        defer { state.pop() }
        guard state.type(-1) == .boolean else { throw mismatch(name, "boolean") }
        return state.boolean(-1)
    }

    func function(_ name: String) throws(LuaRaise) -> LuaReference? {
        guard push(name) else { return nil }
        defer { state.pop() }
        guard state.isFunction(-1) else { throw mismatch(name, "function") }
        return runtime.reference(to: -1, state)
    }

    func reference(_ name: String) -> LuaReference? {
        guard push(name) else { return nil }
        defer { state.pop() }
        return runtime.reference(to: -1, state)
    }

    /// Sets each property, of the object at an index, for which the table has a value. [-0, +0, m]
    func set<Object>(
        _ properties: [ScriptType.Property<Object>],
        of object: Object,
        at index: Int32
    ) throws(LuaRaise) {
        for property in properties {
            guard let set = property.set, push(property.name) else { continue }
            try set(object, NewValue(runtime, state, for: property.key, of: index, at: state.top))
            state.pop()
        }
    }

    func mismatch(_ name: String, _ expected: String) -> LuaRaise {
        LuaRaise(
            .argument,
            "bad value for '\(name)' (\(expected) expected, got \(runtime.operations.kindName(state, -1)))"
        )
    }

    /// Raises an error for a key that was not read, with a suggestion of the nearest existing key.
    func refuseOthers(allowingArray: Bool = false, also: [String] = []) throws(LuaRaise) {
        state.pushNil()
        while state.nextUnchecked(index) {
            state.pop()
            if allowingArray, state.type(-1) == .number { continue }
            guard state.type(-1) == .string, let key = state.string(-1) else {
                let summary = state.summary(-1)
                state.pop()
                throw LuaRaise(.argument, "\(what) has no option \(summary): option names are strings")
            }
            if known.contains(key) || also.contains(key) { continue }
            state.pop()
            if key.utf8.first == 0 {
                throw LuaRaise(
                    .argument,
                    "\(what) has no option like this: the table is a class of operations"
                )
            }
            throw LuaRaise(
                .argument,
                "\(what) has no option '\(key)'\(suggestion(for: key, among: known + also))"
            )
        }
    }
}
