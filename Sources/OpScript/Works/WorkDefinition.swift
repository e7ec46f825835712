internal import LuaVM

/// A Swift closure as it was registered.
final class WorkDefinition: Sendable {
    /// One argument that a script passes.
    struct Parameter: Sendable {
        let name: String
        let type: String
        let isOptional: Bool
        /// Values of this kind always fit.
        let plainKind: PlainKind?
        /// Whether functions and operations are passed as handles.
        let takesHandles: Bool
        /// Whether a value fits.
        let check: @Sendable (ScriptValue) throws(ScriptConversionError) -> Void
    }

    /// Types whose values fit by their kind alone, so that checking them needs no conversion.
    enum PlainKind: Sendable {
        case integer, number, boolean, bytes, any

        init?<Value>(_ type: Value.Type) {
            if type == Int.self || type == Int64.self {
                self = .integer
            } else if type == Double.self {
                self = .number
            } else if type == Bool.self {
                self = .boolean
            } else if type == [UInt8].self {
                self = .bytes
            } else if type == ScriptValue.self {
                self = .any
            } else {
                return nil
            }
        }

        @inline(__always)
        func fits(_ value: ScriptValue) -> Bool {
            switch (self, value) {
            case (.integer, .integer), (.number, .number), (.boolean, .boolean), (.bytes, .string), (.any, _):
                true
            default: false
            }
        }

        /// Makes the argument at an empty address from a value that fits; false, and no argument, for another
        /// value.
        @inline(__always)
        func store(_ value: ScriptValue, at address: UnsafeMutableRawPointer) -> Bool {
            switch (self, value) {
            case (.integer, .integer(let integer)): address.initializeMemory(as: Int64.self, to: integer)
            case (.number, .number(let number)): address.initializeMemory(as: Double.self, to: number)
            case (.boolean, .boolean(let flag)): address.initializeMemory(as: Bool.self, to: flag)
            case (.bytes, .string(let bytes)): address.initializeMemory(as: [UInt8].self, to: bytes)
            case (.any, _): address.initializeMemory(as: ScriptValue.self, to: value)
            default: return false
            }
            return true
        }

        /// Takes the value at an address and leaves the address empty.
        @inline(__always)
        func take(from address: UnsafeMutableRawPointer) -> ScriptValue {
            switch self {
            case .integer: .integer(address.load(as: Int64.self))
            case .number: .number(address.load(as: Double.self))
            case .boolean: .boolean(address.load(as: Bool.self))
            case .bytes: .string(address.assumingMemoryBound(to: [UInt8].self).move())
            case .any: address.assumingMemoryBound(to: ScriptValue.self).move()
            }
        }
    }

    /// The closure with the conversions around it.
    enum Body: Sendable {
        case sync(@Sendable (WorkArguments) throws -> ScriptValue)
        case async(@Sendable (KeptArguments) async throws -> ScriptValue)
    }

    /// Keeps the reference count, which the script thread changes with each operation, away from what the workers read:
    /// processors fetch cache lines in pairs of 128 bytes. Without this padding, the count misses the cache and takes
    /// 15 % of the script thread's time; with it, 2 %.
    private let padding = InlineArray<24, UInt64>(repeating: 0)
    let name: String
    let summary: String
    let parameters: [Parameter]
    /// Whether the closure takes a ``WorkContext``.
    let takesContext: Bool
    /// Whether the closure changes nothing, so that a plan may call it.
    let onlyReads: Bool
    let body: Body
    /// The closure of a body that is not `async`. It is stored outside the enum, since calling a closure in an enum
    /// counts a reference to it, which all workers would do at the same time.
    let call: @Sendable (WorkArguments) throws -> ScriptValue
    let isAsync: Bool
    /// Whether it takes any arguments.
    let isVariadic: Bool
    /// Whether any parameter takes handles.
    let takesHandles: Bool
    /// Whether it is a method of a host object. The object is its first argument and is not counted.
    let isMethod: Bool
    /// Its behaviour under virtual time.
    let mode: WorkMode
    /// Counts the script's memory that arguments and results take; nil if that memory has no limit.
    let meter: LimitMeter?
    /// The kind of its operations.
    let kind: OperationView.Kind
    /// The rule of a script that determines their behaviour under virtual time; -1 for none.
    let rule: Int
    /// How its operations are treated when a run continues.
    let recording: RecordingMode
    /// A part of the keys of its operations.
    let version: String?
    /// The function of an isolate.
    let code: LuaCapture?
    init(
        name: String,
        summary: String,
        parameters: [Parameter],
        takesContext: Bool,
        onlyReads: Bool = false,
        isVariadic: Bool = false,
        body: Body,
        isMethod: Bool = false,
        mode: WorkMode = .real,
        meter: LimitMeter? = nil,
        kind: OperationView.Kind? = nil,
        rule: Int = -1,
        recording: RecordingMode = .result,
        version: String? = nil,
        code: LuaCapture? = nil
    ) {
        self.rule = rule
        self.recording = recording
        self.version = version
        self.code = code
        self.isMethod = isMethod
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.takesContext = takesContext
        self.onlyReads = onlyReads
        self.isVariadic = isVariadic
        self.body = body
        switch body {
        case .sync(let call): self.call = call
        case .async:
            call = { _ in preconditionFailure("'\(name)' is async and was given to a worker") }
        }
        takesHandles = parameters.contains(where: \.takesHandles)
        self.mode = mode
        self.meter = meter
        if case .async = body { isAsync = kind != .simulated } else { isAsync = false }
        if let kind {
            self.kind = kind
        } else if case .sleep = mode.content {
            self.kind = .sleep
        } else {
            self.kind = .work
        }
    }

    /// The same work, but its operations run on the script thread, as a rule says.
    func simulated(by rule: Int) -> WorkDefinition {
        WorkDefinition(
            name: name,
            summary: summary,
            parameters: parameters,
            takesContext: takesContext,
            isVariadic: isVariadic,
            body: body,
            isMethod: isMethod,
            mode: mode,
            kind: .simulated,
            rule: rule,
            recording: recording,
            version: version
        )
    }

    /// Checks the arguments that are already known: a value that contains an operation is checked when the body starts.
    func check(_ arguments: ArgumentList, holdOperations: Bool) throws(ArgumentMismatch) {
        if isVariadic { return }
        for place in 0..<max(arguments.count, parameters.count) {
            let isMissing = place >= arguments.count
            let value = arguments[place]
            if holdOperations, value.holdsOperation { continue }
            guard place < parameters.count else {
                try refuse(place, value)
                continue
            }
            if let kind = parameters[place].plainKind, kind.fits(value) { continue }
            do throws(ScriptConversionError) {
                try parameters[place].check(value)
            } catch {
                throw ArgumentMismatch(argument: place + 1, error: error, isMissing: isMissing)
            }
        }
    }

    /// Refuses arguments that no parameter takes.
    func refuseMore(_ arguments: ArgumentList) throws(ArgumentMismatch) {
        if isVariadic { return }
        for place in stride(from: parameters.count, to: arguments.count, by: 1) {
            try refuse(place, arguments[place])
        }
    }

    private func refuse(_ place: Int, _ value: ScriptValue) throws(ArgumentMismatch) {
        if case .nil = value { return }
        throw ArgumentMismatch(
            argument: place + 1,
            error: ScriptConversionError(expected: "no value", value: value),
            isMissing: false
        )
    }
}

/// An argument does not fit its parameter.
struct ArgumentMismatch: Error, CustomStringConvertible {
    /// Counted from 1.
    let argument: Int
    let error: ScriptConversionError

    init(argument: Int, error: ScriptConversionError, isMissing: Bool) {
        var error = error
        if isMissing, error.path.isEmpty { error.got = "no value" }
        self.argument = argument
        self.error = error
    }

    var description: String { "bad argument #\(argument) (\(error.description))" }
}
