internal import LuaVM
internal import Scheduling

/// Copies Lua values out of a state, deeply.
struct ValueReader<World: ValueWorld> {
    private let world: World
    private let state: LuaState
    /// The tables around the current value, to find cycles.
    private var path: [UnsafeRawPointer] = []
    private let takesOperations: Bool
    /// Whether functions and operations cross as handles that Swift may keep.
    var takesHandles: Bool
    /// Whether a table with a metatable is refused; otherwise the copy has none.
    var refusesMetatables = false
    /// Whether a table with a field `n` stays a table with that field, and is no packed list.
    var keepsCounts = false
    /// The index of a Lua array with the operations that were found, in order; their results take their places. It is
    /// pushed first, if there may be any.
    private(set) var operationsIndex: Int32?
    private(set) var operationCount = 0
    private let base: Int32
    /// How many more values may be read: a table is copied for each reference to it.
    private var partsLeft = Self.mostParts
    private var pace = MemoryPace()

    private static var mostParts: Int { 10_000_000 }
    /// How many elements of a packed list may be nil.
    private static var mostMissing: Int { 1_000_000 }
    /// About the memory of a value besides its bytes and its place in a table.
    private static var partSize: Int { 32 }

    /// - Parameters:
    ///   - takesOperations: Whether operations may represent their results.
    ///   - takesHandles: Whether functions and operations cross as handles.
    init(
        _ world: World,
        _ state: LuaState,
        takesOperations: Bool = false,
        takesHandles: Bool = false
    ) {
        self.takesHandles = takesHandles
        self.world = world
        self.state = state
        self.takesOperations = takesOperations
        base = state.top
        if takesOperations, Self.mayMeetOperations(state) {
            state.newTable()
            operationsIndex = base + 1
        }
    }

    /// Whether anything on the stack could be or contain an operation.
    private static func mayMeetOperations(_ state: LuaState) -> Bool {
        for index in stride(from: Int32(1), through: state.top, by: 1) {
            switch state.type(index) {
            case .userdata, .table: return true
            default: continue
            }
        }
        return false
    }

    /// The value at an index. [-0, +0, -]
    mutating func read(_ index: Int32) throws(ScriptConversionError) -> ScriptValue {
        partsLeft -= 1
        guard partsLeft >= 0 else { throw refusal("the value has more than \(Self.mostParts) parts") }
        guard pace.allows(Self.partSize) else { throw memoryRefusal }
        switch state.type(index) {
        case .none, .nil: return .nil
        case .boolean, .number: return state.plainValue(index) ?? .nil
        case .string: return .string(try bytes(index))
        case .table: return try table(state.absolute(index))
        case .userdata: return try userdata(index)
        case .function:
            if takesHandles, let handle = world.handle(state, index) { return .object(handle) }
            throw refusal("a function cannot leave \(World.home)")
        case .thread: throw refusal("a coroutine cannot leave \(World.home)")
        case .lightUserdata: throw refusal("a light userdata cannot leave \(World.home)")
        }
    }

    private func refusal(_ sentence: String) -> ScriptConversionError {
        ScriptConversionError(refusing: sentence)
    }

    private var memoryRefusal: ScriptConversionError {
        var error = refusal("the value needs more memory than is left")
        error.isMemory = true
        return error
    }

    /// The bytes of the string at an index. [-0, +0, -]
    private mutating func bytes(_ index: Int32) throws(ScriptConversionError) -> [UInt8] {
        guard pace.allows(state.rawLength(index)) else { throw memoryRefusal }
        return state.bytes(index) ?? []
    }

    private mutating func userdata(_ index: Int32) throws(ScriptConversionError) -> ScriptValue {
        if world.isOperation(state, index) {
            if takesHandles, let handle = world.handle(state, index) { return .object(handle) }
            guard let operationsIndex else { throw refusal("an operation cannot cross here") }
            let list = operationsIndex
            state.pushValue(index)
            operationCount += 1
            state.rawSet(list, operationCount)
            return .object(world.resultBox(state, index))
        }
        if let value = world.sharedValue(state, index) { return value }
        if world.isNull(state, index) { return .null }
        if let text = world.errorText(state, index) { return .text(text) }
        throw refusal("\(world.kindName(state, index)) cannot leave \(World.home)")
    }

    private mutating func table(_ index: Int32) throws(ScriptConversionError) -> ScriptValue {
        guard let identity = state.identity(index) else { return .table(ScriptTable()) }
        if path.contains(identity) { throw refusal("the table contains itself") }
        if refusesMetatables, state.metatableIdentity(index) != nil {
            throw refusal("the table has a metatable")
        }
        guard path.count < ScriptValue.deepestNesting, state.ensureSpace(8) else {
            throw refusal("nested deeper than \(ScriptValue.deepestNesting) levels")
        }
        path.append(identity)
        defer { path.removeLast() }
        let length = state.rawLength(index)
        if length > 0, let array = try plainArray(index, length) { return .array(array) }
        return try generalTable(index, length)
    }

    /// The elements 1…n if the table contains nothing else.
    private mutating func plainArray(
        _ index: Int32,
        _ length: Int
    ) throws(ScriptConversionError) -> [ScriptValue]? {
        // Counting with `next` finds other keys without reading values.
        var count = 0
        state.pushNil()
        while state.nextUnchecked(index) {
            count += 1
            let isElement = state.integer(-2).map { $0 >= 1 && $0 <= length } ?? false
            state.pop()
            if !isElement {
                state.pop()
                return nil
            }
        }
        guard count == length else { return nil }
        var result: [ScriptValue] = []
        guard pace.allows(growing: result, by: length) else { throw memoryRefusal }
        result.reserveCapacity(length)
        for place in 1...length {
            _ = state.rawGet(index, place)
            defer { state.pop() }
            do throws(ScriptConversionError) {
                result.append(try read(-1))
            } catch {
                throw error.inside(index: place)
            }
        }
        return result
    }

    private mutating func generalTable(
        _ index: Int32,
        _ length: Int
    ) throws(ScriptConversionError) -> ScriptValue {
        if !keepsCounts, let count = packedCount(index) {
            var result: [ScriptValue] = []
            for place in stride(from: 1, through: count, by: 1) {
                _ = state.rawGet(index, place)
                defer { state.pop() }
                guard pace.allows(growing: result) else { throw memoryRefusal }
                do throws(ScriptConversionError) {
                    result.append(try read(-1))
                } catch {
                    throw error.inside(index: place)
                }
            }
            return .array(result)
        }
        if world.isMarkedArray(state, index) { return .array([]) }
        var entries: [ScriptTable.Entry] = []
        var failure: ScriptConversionError?
        state.pushNil()
        while true {
            // Reading allocates objects, so a finalizer of the script may run in between.
            guard let hasMore = state.nextField(index) else {
                throw refusal("the table was changed while it was read: by a finalizer")
            }
            guard hasMore else { break }
            do throws(ScriptConversionError) {
                let key = try key(-2)
                guard pace.allows(growing: entries) else { throw memoryRefusal }
                do throws(ScriptConversionError) {
                    entries.append(ScriptTable.Entry(key: key, value: try read(-1)))
                } catch {
                    throw error.inside(field: name(of: key))
                }
            } catch {
                failure = error
                state.pop(2)
                break
            }
            state.pop()
        }
        if let failure { throw failure }
        return .table(ScriptTable(entries))
    }

    private mutating func key(_ index: Int32) throws(ScriptConversionError) -> ScriptValue {
        switch state.type(index) {
        case .boolean: return .boolean(state.boolean(index))
        case .number:
            if let integer = state.integer(index) { return .integer(Int64(integer)) }
            return .number(state.number(index) ?? .nan)
        case .string: return .string(try bytes(index))
        default:
            throw refusal(
                "a \(state.type(index).name) cannot be a key of a table that leaves \(World.home)"
            )
        }
    }

    private func name(of key: ScriptValue) -> String {
        switch key {
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let number): "[\(number)]"
        case .number(let number): "[\(number)]"
        case .boolean(let flag): "[\(flag)]"
        default: "?"
        }
    }

    /// The field `n`, if all other keys are in 1…n, as in a result of `table.pack`.
    private func packedCount(_ index: Int32) -> Int? {
        let type = state.rawGet(index, "n")
        let count = type == .number ? state.integer(-1) : nil
        state.pop()
        guard let count, count >= 0, count < 10_000_000 else { return nil }
        var isPacked = true
        var entryCount = 0
        state.pushNil()
        while state.nextUnchecked(index) {
            state.pop()
            entryCount += 1
            if let place = state.integer(-1) {
                isPacked = place >= 1 && place <= count
            } else {
                isPacked = state.string(-1) == "n"
            }
            if !isPacked {
                state.pop()
                return nil
            }
        }
        return count - entryCount <= Self.mostMissing ? count : nil
    }
}

extension LuaState {
    /// A value that is not an object; nil for anything else. [-0, +0, -]
    @inline(__always)
    func plainValue(_ index: Int32) -> ScriptValue? {
        if let integer = integer(index) { return .integer(Int64(integer)) }
        switch type(index) {
        case .boolean: return .boolean(boolean(index))
        case .number: return .number(number(index) ?? .nan)
        default: return nil
        }
    }
}

extension ScriptConversionError {
    /// An error that is a complete sentence.
    init(refusing sentence: String) {
        self.init(expected: "", got: sentence)
    }
}
