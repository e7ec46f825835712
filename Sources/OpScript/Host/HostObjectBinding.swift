internal import LuaVM

/// The interface of host objects to a script.
enum HostObjectBinding {
    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable(fields: ScriptOperator.allCases.count + 5)
        state.setFunctions([("__index", objectGet), ("__newindex", objectSet)])
        for symbol in ScriptOperator.allCases {
            state.push(symbol.rawValue)
            state.push(symbol.function, upvalues: 1)
            state.rawSet(-2, symbol.rawValue)
        }
        return LuaMetatable(state, name: "object", isBox: true)
    }
}

/// Holds an object of the host in a userdata, with the members that scripts may use.
final class HostObjectBox {
    let object: any ScriptObject
    let exposure: Exposure?

    init(_ object: any ScriptObject, _ exposure: Exposure?) {
        self.object = object
        self.exposure = exposure
    }

    /// Pushes its userdata; the collector counts what the object holds. [-0, +1, m]
    func push(_ metatable: LuaMetatable, _ state: LuaState) {
        let weight = exposure?.type.weight?(instance) ?? object.scriptWeight
        state.pushBox(self, metatable, weight: max(0, weight))
    }

    /// The host's object itself.
    var instance: AnyObject { (object as? ExposedObject)?.instance ?? object }

    var typeName: String {
        if let exposure { return exposure.type.name }
        // Scripts see a handle of this engine as the function or operation itself.
        if object is ScriptFunction { return "function of another engine" }
        if object is ScriptOperation { return "operation of another engine" }
        return (object as? ExposedObject)?.typeName ?? type(of: object).scriptTypeName
    }
}

/// A type of the host in one Lua state.
final class Exposure {
    let type: ExposedType
    /// For each name: a function for a method, the place in `properties` for a property.
    let members: LuaReference
    let properties: [(name: String, get: ExposedType.Call, set: ExposedType.Setter?)]
    let methods: [(name: String, method: ExposedType.Method)]
    let functions: [(name: String, function: ExposedType.Operator)]

    init(
        _ type: ExposedType,
        members: LuaReference,
        properties: [(name: String, get: ExposedType.Call, set: ExposedType.Setter?)],
        methods: [(name: String, method: ExposedType.Method)],
        functions: [(name: String, function: ExposedType.Operator)]
    ) {
        self.type = type
        self.members = members
        self.properties = properties
        self.methods = methods
        self.functions = functions
    }
}

extension HostObjects {
    func hostObject(_ state: LuaState, _ index: Int32) -> HostObjectBox? {
        state.box(index, metatables.hostObject, as: HostObjectBox.self)
    }

    /// The box of the object at index 1.
    private func requireObject(_ state: LuaState) throws(LuaRaise) -> HostObjectBox {
        if let box = hostObject(state, 1) { return box }
        throw LuaRaise(argument: 1, "object expected, got \(runtime.operations.kindName(state, 1))")
    }

    // MARK: Properties

    fileprivate func getMember(_ state: LuaState) throws(LuaRaise) -> Int32 {
        let box = try requireObject(state)
        if let exposure = box.exposure {
            exposure.members.push(state)
            state.pushValue(2)
            switch state.rawGet(-2) {
            case .nil: break
            case .number:
                let property = exposure.properties[state.integer(-1) ?? 0]
                let value = try calling("\(exposure.type.name).\(property.name)", state) {
                    try property.get(box.instance, .none)
                }
                runtime.push(value, state)
                return 1
            default: return 1
            }
        }
        if let name = state.string(2), let value = box.object.scriptProperty(name) {
            runtime.push(value, state)
            return 1
        }
        throw runtime.operations.noSuchProperty(state, of: box.typeName, among: box.memberNames)
    }

    fileprivate func setMember(_ state: LuaState) throws(LuaRaise) {
        let box = try requireObject(state)
        let name = state.string(2) ?? state.summary(2)
        guard let exposure = box.exposure else {
            throw .misuse("properties of \(box.typeName) can only be read")
        }
        guard let property = exposure.properties.first(where: { $0.name == name }) else {
            if exposure.methods.contains(where: { $0.name == name }) {
                throw .misuse("'\(name)' of \(box.typeName) is a method and cannot be set")
            }
            throw runtime.operations.noSuchProperty(
                state,
                of: box.typeName,
                among: exposure.properties.map(\.name)
            )
        }
        guard let setter = property.set else {
            throw .misuse("'\(name)' of \(box.typeName) can only be read")
        }
        var reader = ValueReader(runtime, state, takesHandles: setter.takesHandles)
        let value: ScriptValue
        do throws(ScriptConversionError) {
            value = try reader.read(3)
        } catch {
            throw LuaRaise(error, "bad value for '\(name)' of \(box.typeName) (\(error.description))")
        }
        do {
            _ = try setter.call(box.instance, .one(value))
        } catch let error as ScriptConversionError {
            throw LuaRaise(error, "bad value for '\(name)' of \(box.typeName) (\(error.description))")
        } catch {
            throw hostRaise(of: error, state)
        }
    }

    // MARK: Calls

    /// Runs a closure of the host; an error that it throws is raised here and stays the same error.
    func calling(
        _ name: String,
        _ state: LuaState,
        _ body: () throws -> ScriptValue
    ) throws(LuaRaise) -> ScriptValue {
        do {
            return try body()
        } catch let error as ArgumentMismatch {
            throw LuaRaise(
                .argument,
                "bad argument #\(error.argument) to '\(name)' (\(error.error.description))"
            )
        } catch {
            throw hostRaise(of: error, state)
        }
    }

    private func hostRaise(of error: any Error, _ state: LuaState) -> LuaRaise {
        let value = runtime.makeErrorValue(error)
        if value === error as? ErrorValue { return LuaRaise(value) }
        return LuaRaise(
            ErrorValue(
                value.code,
                runtime.located(value.message, state),
                frames: vm.currentFrames(state, level: 0),
                underlying: value.underlying ?? error,
                endsRun: value.endsRun
            )
        )
    }

    /// The arguments from an index on, whose types are not checked yet.
    func readArguments(
        _ state: LuaState,
        from first: Int32,
        to last: Int32,
        for parameters: [WorkDefinition.Parameter],
        of name: String
    ) throws(LuaRaise) -> ArgumentList {
        var reader = ValueReader(runtime, state)
        var values: [ScriptValue] = []
        for index in stride(from: first, through: last, by: 1) {
            let place = Int(index - first)
            guard place < parameters.count else {
                if state.isNoneOrNil(index) { continue }
                throw LuaRaise(
                    .argument,
                    "bad argument #\(place + 1) to '\(name)' (no value expected, got "
                        + "\(runtime.operations.kindName(state, index)))"
                )
            }
            reader.takesHandles = parameters[place].takesHandles
            do throws(ScriptConversionError) {
                values.append(try reader.read(index))
            } catch {
                throw LuaRaise(error, "bad argument #\(place + 1) to '\(name)' (\(error.description))")
            }
        }
        return ArgumentList(values)
    }

    fileprivate func callMethod(_ state: LuaState) throws(LuaRaise) -> Int32 {
        let code = state.integer(LuaState.upvalue(1)) ?? 0
        let exposure = exposures[code >> 16]
        let (name, method) = exposure.methods[code & 0xffff]
        let box = try requireSelf(exposure, name, state)
        let full = "\(exposure.type.name):\(name)"
        let arguments = try readArguments(state, from: 2, to: state.top, for: method.parameters, of: full)
        runtime.push(try calling(full, state) { try method.call(box.instance, arguments) }, state)
        return 1
    }

    private func requireSelf(
        _ exposure: Exposure,
        _ name: String,
        _ state: LuaState
    ) throws(LuaRaise) -> HostObjectBox {
        if let box = hostObject(state, 1), box.exposure === exposure || exposure.type.isInstance(box.instance)
        {
            return box
        }
        let type = exposure.type.name
        throw LuaRaise(
            .argument,
            "calling '\(type):\(name)' on a bad self (\(type) expected, got "
                + "\(runtime.operations.kindName(state, 1))): write object:\(name)(…)"
        )
    }

    /// Makes an operation of an `async` method; the caller waits for the operation.
    fileprivate func callAsyncMethod(_ state: LuaState, _ raw: OpaquePointer) throws(LuaRaise) -> Int32 {
        let code = state.integer(LuaState.upvalue(1)) ?? 0
        let exposure = exposures[code >> 16]
        let index = code & 0xffff
        let name = runtime.works.definition(index).name
        _ = try requireSelf(exposure, String(name.drop { $0 != ":" }.dropFirst()), state)
        _ = try runtime.waits.waitingTask(state)
        guard state.canWait else { return LuaReply.wait }
        _ = try runtime.operations.makeWork(Int32(index), state, first: 1, count: Int(state.top))
        state.replace(1)
        state.setTop(1)
        return waitForOne(raw, giveMethodResult)
    }

    fileprivate func callFunction(_ state: LuaState) throws(LuaRaise) -> Int32 {
        let code = state.integer(LuaState.upvalue(1)) ?? 0
        let exposure = exposures[code >> 16]
        let (name, function) = exposure.functions[code & 0xffff]
        let arguments = try readArguments(state, from: 1, to: state.top, for: function.parameters, of: name)
        runtime.push(try calling(name, state) { try function.call(arguments) }, state)
        return 1
    }

    fileprivate func callInitializer(_ state: LuaState) throws(LuaRaise) -> Int32 {
        let type = exposures[state.integer(LuaState.upvalue(1)) ?? 0].type
        guard let initializer = type.initializer else {
            throw .misuse("\(type.name) cannot be made by a script: the host has declared no initializer")
        }
        let arguments = try readArguments(
            state,
            from: 2,
            to: state.top,
            for: initializer.parameters,
            of: type.name
        )
        runtime.push(try calling(type.name, state) { try initializer.call(arguments) }, state)
        return 1
    }

    // MARK: Operators

    /// The operator of the first operand that has one.
    private func implementation(_ symbol: ScriptOperator, _ state: LuaState) -> ExposedType.Operator? {
        hostObject(state, 1)?.exposure?.type.operators[symbol]
            ?? hostObject(state, 2)?.exposure?.type.operators[symbol]
    }

    fileprivate func operate(_ symbol: ScriptOperator, _ state: LuaState) throws(LuaRaise) -> Int32 {
        if let function = implementation(symbol, state) {
            return try applyOperator(symbol, function, state, operands: symbol.operandCount ?? state.top)
        }
        switch symbol {
        case .equal:
            state.push(state.rawEqual(1, 2))
            return 1
        case .description:
            state.push(describeObject(try requireObject(state)))
            return 1
        case .lessThanOrEqual:
            guard let less = implementation(.lessThan, state) else { break }
            // In a total order, a <= b is not (b < a).
            state.insert(1)
            _ = try applyOperator(.lessThan, less, state, operands: 2)
            state.push(!state.boolean(-1))
            return 1
        default: break
        }
        let wrong: Int32 = hostObject(state, 1) == nil ? 2 : 1
        throw LuaRaise(
            .failed,
            symbol.refusal(
                runtime.operations.kindName(state, wrong),
                runtime.operations.kindName(state, 1),
                runtime.operations.kindName(state, 2)
            )
        )
    }

    private func applyOperator(
        _ symbol: ScriptOperator,
        _ function: ExposedType.Operator,
        _ state: LuaState,
        operands: Int32
    ) throws(LuaRaise) -> Int32 {
        let name = "\(hostObject(state, 1)?.typeName ?? hostObject(state, 2)?.typeName ?? "object") \(symbol)"
        let result: ScriptValue
        do throws(LuaRaise) {
            let arguments = try readArguments(
                state,
                from: 1,
                to: operands,
                for: function.parameters,
                of: name
            )
            result = try calling(name, state) { try function.call(arguments) }
        } catch {
            // A value of another type is not equal; that is not an error.
            guard symbol == .equal, error.code == .argument else { throw error }
            state.push(false)
            return 1
        }
        runtime.push(result, state)
        return 1
    }

    private func describeObject(_ box: HostObjectBox) -> String {
        let properties = type(of: box.object).scriptPropertyNames.compactMap { name in
            switch box.object.scriptProperty(name) {
            case .integer(let number)?: "\(name) = \(number)"
            case .number(let number)?: "\(name) = \(number)"
            case .boolean(let flag)?: "\(name) = \(flag)"
            default: nil
            }
        }
        return box.typeName + (properties.isEmpty ? "" : " (\(properties.joined(separator: ", ")))")
    }
}

extension HostObjectBox {
    fileprivate var memberNames: [String] {
        type(of: object).scriptPropertyNames + (exposure?.type.members.keys.sorted() ?? [])
    }
}

extension ScriptOperator {
    /// How many operands it has; nil for any number.
    fileprivate var operandCount: Int32? {
        switch self {
        case .negate, .length, .description: 1
        case .call: nil
        default: 2
        }
    }

    /// Lua's message for a value without such an operator.
    fileprivate func refusal(_ kind: String, _ first: String, _ second: String) -> String {
        switch self {
        case .lessThan, .lessThanOrEqual:
            first == second
                ? "attempt to compare two \(first) values" : "attempt to compare \(first) with \(second)"
        case .concatenate: "attempt to concatenate a \(kind) value"
        case .length: "attempt to get length of a \(kind) value"
        case .call: "attempt to call a \(kind) value"
        default: "attempt to perform arithmetic on a \(kind) value"
        }
    }

    fileprivate var function: LuaFunction { objectOperate }
}

private func objectOperate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let name = state.string(LuaState.upvalue(1)), let symbol = ScriptOperator(rawValue: name) else {
            throw .misuse("no operator")
        }
        return try runtime.hostObjects.operate(symbol, state)
    }
}

private func objectGet(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in try runtime.hostObjects.getMember(state) }
}

private func objectSet(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.hostObjects.setMember(state)
        return 0
    }
}

func objectMethod(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in try runtime.hostObjects.callMethod(state) }
}

func objectAsyncMethod(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in try runtime.hostObjects.callAsyncMethod(state, raw)
    }
}

func exposedFunction(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in try runtime.hostObjects.callFunction(state) }
}

func exposedInitializer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in try runtime.hostObjects.callInitializer(state) }
}

/// Returns the result of an `async` method; an interrupted wait for it cancels the method.
private func giveMethodResult(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if !state.boolean(base), let view = runtime.operations.operation(state, 1) {
        runtime.operations.cancel(view)
    }
    return giveOutcome(raw, base)
}
