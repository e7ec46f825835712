/// The host's knowledge about its own values, for copying functions.
public protocol LuaCaptureHost {
    /// The carrier of the userdata at an index to another universe; nil if it cannot be carried.
    func foreign(_ state: LuaState, _ index: Int32) -> (any Sendable)?
    /// The name of a library or a function of one, by its address.
    func libraryName(_ identity: UnsafeRawPointer) -> String?
    /// Whether a table, by its address, represents the globals. In the other universe, it then becomes that
    /// universe's globals.
    func standsForGlobals(_ identity: UnsafeRawPointer) -> Bool
    /// The name of the userdata at an index in messages: `OperationQueue`.
    func capturedKind(_ state: LuaState, _ index: Int32) -> String
}

extension LuaCaptureHost {
    /// Only the globals themselves do.
    public func standsForGlobals(_ identity: UnsafeRawPointer) -> Bool { false }
}

/// Copies a function and everything that it captured, breadth first, so that the recursion cannot become too
/// deep.
struct LuaCaptureReader<Host: LuaCaptureHost> {
    /// The way in which a value was reached.
    private enum Step {
        case root
        case upvalue(String)
        case field(String)
        case key
        case metatable
    }

    private struct Found {
        let isFunction: Bool
        /// Its number among the tables or the functions.
        let number: Int
        /// The object that holds it, and the place in that object.
        let parent: Int
        let step: Step
    }

    private let host: Host
    private let state: LuaState
    /// A Lua array of the found tables and functions, in order.
    private let objects: Int32
    private let globals: UnsafeRawPointer?
    private var found: [Found] = []
    private var numbers: [UnsafeRawPointer: Int] = [:]
    private var tables: [LuaCapture.Table] = []
    private var functions: [LuaCapture.Function] = []
    private var cells: [LuaCapture.Value] = []
    private var cellNumbers: [UnsafeRawPointer: Int] = [:]
    private var hasFinalizers = false

    init(_ host: Host, _ state: LuaState) {
        self.host = host
        self.state = state
        _ = state.ensureSpace(20)
        state.pushGlobals()
        globals = state.identity(-1)
        state.pop()
        state.newTable()
        objects = state.top
    }

    /// Copies the Lua function at an index. [-0, +0, -]
    static func capture(_ index: Int32, _ host: Host, _ state: LuaState) throws(LuaCaptureError) -> LuaCapture
    {
        let index = state.absolute(index)
        let top = state.top
        defer { state.setTop(top) }
        var reader = LuaCaptureReader(host, state)
        state.pushValue(index)
        _ = try reader.value(-1, from: -1, .root)
        state.pop()
        var next = 0
        while next < reader.found.count {
            _ = state.rawGet(reader.objects, next + 1)
            if reader.found[next].isFunction {
                try reader.readUpvalues(next)
            } else {
                try reader.readEntries(next)
            }
            state.pop()
            next += 1
        }
        return LuaCapture(
            tables: reader.tables,
            functions: reader.functions,
            cells: reader.cells,
            hasFinalizers: reader.hasFinalizers,
            place: state.definition(index)
        )
    }

    /// The value at an index, which an object holds. [-0, +0, -]
    private mutating func value(_ index: Int32, from parent: Int, _ step: Step) throws(LuaCaptureError)
        -> LuaCapture.Value
    {
        switch state.type(index) {
        case .none, .nil: return .nil
        case .boolean: return .boolean(state.boolean(index))
        case .number:
            if let integer = state.integer(index) { return .integer(integer) }
            return .number(state.number(index) ?? .nan)
        case .string: return .string(state.bytes(index) ?? [])
        case .table, .function: return try object(state.absolute(index), from: parent, step)
        case .userdata:
            if let object = host.foreign(state, index) { return .foreign(object) }
            throw refusal(host.capturedKind(state, index), parent, step)
        case .thread: throw refusal("coroutine", parent, step)
        case .lightUserdata: throw refusal("light userdata", parent, step)
        }
    }

    private mutating func object(_ index: Int32, from parent: Int, _ step: Step) throws(LuaCaptureError)
        -> LuaCapture.Value
    {
        guard let identity = state.identity(index) else { return .nil }
        if identity == globals || host.standsForGlobals(identity) { return .globals }
        if let name = host.libraryName(identity) { return .library(name) }
        if let known = numbers[identity] {
            return found[known].isFunction ? .function(found[known].number) : .table(found[known].number)
        }
        let isFunction = state.isFunction(index)
        let number = isFunction ? functions.count : tables.count
        if isFunction {
            guard let code = state.dump(index) else { throw refusal("native function", parent, step) }
            functions.append(LuaCapture.Function(code: code))
        } else {
            if let type = nativeType(index) { throw refusal(type, parent, step) }
            tables.append(LuaCapture.Table())
        }
        numbers[identity] = found.count
        found.append(Found(isFunction: isFunction, number: number, parent: parent, step: step))
        state.pushValue(index)
        state.rawSet(objects, found.count)
        return isFunction ? .function(number) : .table(number)
    }

    /// The type name of a table whose metatable has native functions, as those of the host's types do.
    private func nativeType(_ index: Int32) -> String? {
        guard state.pushMetatable(index) else { return nil }
        defer { state.pop() }
        var isNative = false
        state.forEachPair(-1) {
            if state.isFunction(-1), !state.isLuaFunction(-1),
                state.identity(-1).flatMap({ host.libraryName($0) }) == nil
            {
                isNative = true
            }
        }
        guard isNative else { return nil }
        for field in ["__name", "__metatable"] {
            let name = state.rawGet(-1, field) == .string ? state.string(-1) : nil
            state.pop()
            if let name { return name }
        }
        return "table with native functions"
    }

    /// Reads the upvalues of the function on top.
    private mutating func readUpvalues(_ object: Int) throws(LuaCaptureError) {
        let function = state.top
        let number = found[object].number
        var upvalue: Int32 = 1
        while let name = state.pushUpvalue(of: function, upvalue) {
            let identity = state.upvalueIdentity(of: function, upvalue)
            if let identity, let cell = cellNumbers[identity] {
                functions[number].upvalues.append(cell)
            } else {
                let cell = cells.count
                cells.append(.nil)
                if let identity { cellNumbers[identity] = cell }
                functions[number].upvalues.append(cell)
                cells[cell] = try value(-1, from: object, .upvalue(name))
            }
            state.pop()
            upvalue += 1
        }
    }

    /// Reads the entries of the table on top.
    private mutating func readEntries(_ object: Int) throws(LuaCaptureError) {
        let table = state.top
        let number = found[object].number
        var entries: [(key: LuaCapture.Value, value: LuaCapture.Value)] = []
        state.pushNil()
        while state.nextUnchecked(table) {
            let key = try value(-2, from: object, .key)
            entries.append((key, try value(-1, from: object, .field(fieldName(-2)))))
            state.pop()
        }
        tables[number].entries = entries
        guard state.pushMetatable(table) else { return }
        if state.rawGet(-1, "__gc") != .nil { hasFinalizers = true }
        state.pop()
        tables[number].metatable = try value(-1, from: object, .metatable)
        state.pop()
    }

    private func fieldName(_ index: Int32) -> String {
        switch state.type(index) {
        case .string: ".\(state.string(index) ?? "?")"
        case .number, .boolean: "[\(state.summary(index))]"
        default: "[a \(state.type(index).name)]"
        }
    }

    // MARK: what cannot go

    private func refusal(_ kind: String, _ parent: Int, _ step: Step) -> LuaCaptureError {
        LuaCaptureError(place: place(parent, step), kind: kind)
    }

    /// `upvalue 'options.queue'`, with its function if that is not the captured one.
    private func place(_ parent: Int, _ step: Step) -> String {
        var parent = parent
        var step = step
        var path = ""
        while true {
            switch step {
            case .root: return "the function"
            case .field(let name): path = name + path
            case .key: path = "[a key]" + path
            case .metatable: path = ".(metatable)" + path
            case .upvalue(let name):
                var text = "upvalue '\(name)\(path)'"
                if parent > 0, found.indices.contains(parent) {
                    text += " of \(functionName(parent))"
                }
                return text
            }
            guard found.indices.contains(parent) else { return "the value '\(path)'" }
            step = found[parent].step
            parent = found[parent].parent
        }
    }

    private func functionName(_ object: Int) -> String {
        switch found[object].step {
        case .upvalue(let name): "'\(name)'"
        case .field(let name): "'\(name.drop { $0 == "." })'"
        default: "a function inside"
        }
    }
}

extension LuaState {
    /// Copies the Lua function at an index with everything that it captured. [-0, +0, -]
    ///
    /// - Throws: The place of the first value that cannot be copied.
    public func capture(_ index: Int32, _ host: some LuaCaptureHost) throws(LuaCaptureError) -> LuaCapture {
        try LuaCaptureReader.capture(index, host, self)
    }
}
