/// The arguments of one execution, as the script gave them, with the context of the attempt if the closure takes one.
///
/// Borrowed from their owner for the time of a call, without reference counting.
struct WorkArguments {
    private let list: UnsafePointer<ArgumentList>
    private let lentContext: Unmanaged<WorkContext>?

    init(_ list: UnsafePointer<ArgumentList>, _ context: Unmanaged<WorkContext>?) {
        self.list = list
        lentContext = context
    }

    @inline(__always)
    var values: ArgumentList { list.pointee }

    @inline(__always)
    var context: WorkContext? { lentContext?.takeUnretainedValue() }
}

/// The same for an `async` closure, kept for as long as its task runs.
struct KeptArguments: Sendable {
    let values: ArgumentList
    let context: WorkContext?

    init(_ values: ArgumentList, _ context: WorkContext?) {
        self.values = values
        self.context = context
    }

    /// Lends them to `body`.
    func lend<Result>(to body: (WorkArguments) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(context) {
            try withUnsafePointer(to: values) { values in
                try body(WorkArguments(values, context.map(Unmanaged.passUnretained)))
            }
        }
    }
}

/// The layout in memory of the arguments of a closure while it is called.
///
/// Made once, when the closure is registered. A call then converts each argument into its place and takes it from there
/// by address alone: types that only the caller of `register` knew cost nothing at run time.
struct ArgumentLayout: Sendable {
    /// One parameter of the closure.
    struct Place: Sendable {
        let offset: Int
        /// The number of the script's argument, from 0; -1 for the context, which the script does not pass.
        let given: Int
        /// Values of this kind are stored as they are, without `initialize`.
        let plainKind: WorkDefinition.PlainKind?
        /// The parameter as scripts see it; nil for the context.
        let parameter: WorkDefinition.Parameter?
        /// Makes the argument at an address; nil for the context.
        let initialize: (@Sendable (ScriptValue, UnsafeMutableRawPointer) throws -> Void)?
        /// Destroys it there.
        let deinitialize: @Sendable (UnsafeMutableRawPointer) -> Void
    }

    private(set) var places: [Place] = []
    private(set) var size = 0
    private(set) var alignment = 1
    /// The reason why the layout is invalid: a type that cannot come from a script.
    private(set) var problem: ScriptError?

    /// Adds a parameter; one that cannot come from a script is a problem.
    mutating func append<Value>(_ type: Value.Type, named names: [String], of work: String) {
        let align = MemoryLayout<Value>.alignment
        let offset = (size + align - 1) & ~(align - 1)
        size = offset + MemoryLayout<Value>.size
        alignment = max(alignment, align)
        let deinitialize: @Sendable (UnsafeMutableRawPointer) -> Void = {
            $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
        }
        guard type != WorkContext.self else {
            places.append(
                Place(
                    offset: offset,
                    given: -1,
                    plainKind: nil,
                    parameter: nil,
                    initialize: nil,
                    deinitialize: deinitialize
                )
            )
            return
        }
        guard let converter = ScriptConverter<Value>.make() else {
            problem = ScriptError(
                .misuse,
                "'\(work)' takes \(type), which cannot come from a script: make it Codable or ScriptConvertible"
            )
            return
        }
        let given = places.count { $0.parameter != nil }
        let decode = converter.decode
        let parameter = WorkDefinition.Parameter(
            name: given < names.count ? names[given] : "argument\(given + 1)",
            type: converter.typeName + (converter.isOptional ? "?" : ""),
            isOptional: converter.isOptional,
            plainKind: .init(Value.self),
            takesHandles: converter.takesHandles,
            check: { value throws(ScriptConversionError) in _ = try decode(value) }
        )
        places.append(
            Place(
                offset: offset,
                given: given,
                plainKind: parameter.plainKind,
                parameter: parameter,
                initialize: { value, memory in
                    memory.assumingMemoryBound(to: Value.self).initialize(to: try decode(value))
                },
                deinitialize: deinitialize
            )
        )
    }

    /// Makes room for the result where the arguments were.
    mutating func placeResult<Value>(_ converter: ScriptConverter<Value>) -> PlacedResult {
        size = max(size, MemoryLayout<Value>.size)
        alignment = max(alignment, MemoryLayout<Value>.alignment)
        return PlacedResult(converter)
    }

    /// Gives memory of the size of all arguments to `body`, for the time of its call.
    @inline(__always)
    func withMemory<Result>(_ body: (UnsafeMutableRawPointer) throws -> Result) rethrows -> Result {
        // Memory of a size that the compiler knows is part of the stack frame.
        let usualSize = 64
        let usualAlignment = 16
        if size <= usualSize, alignment <= usualAlignment {
            return try withUnsafeTemporaryAllocation(byteCount: usualSize, alignment: usualAlignment) {
                try body(ArgumentCursor.start(of: $0))
            }
        }
        return try withUnsafeTemporaryAllocation(byteCount: size, alignment: alignment) {
            try body(ArgumentCursor.start(of: $0))
        }
    }

    /// Converts all arguments into their places in `memory`; if one does not fit, none remains there.
    @inline(__always)
    func fill(_ memory: UnsafeMutableRawPointer, _ arguments: WorkArguments) throws {
        try places.withUnsafeBufferPointer { places in
            // By index, since copying a place counts references.
            for index in places.indices {
                let address = memory + places[index].offset
                let given = places[index].given
                if given < 0 {
                    guard let context = arguments.context else {
                        preconditionFailure("a closure was called without its context")
                    }
                    address.initializeMemory(as: WorkContext.self, to: context)
                    continue
                }
                if let kind = places[index].plainKind, kind.store(arguments.values[given], at: address) {
                    continue
                }
                try convert(index, memory, arguments)
            }
        }
    }

    private func convert(
        _ index: Int,
        _ memory: UnsafeMutableRawPointer,
        _ arguments: WorkArguments
    ) throws {
        let place = places[index]
        do {
            try place.initialize?(arguments.values[place.given], memory + place.offset)
        } catch {
            for earlier in places[..<index] { earlier.deinitialize(memory + earlier.offset) }
            guard let error = error as? ScriptConversionError else { throw error }
            throw ArgumentMismatch(
                argument: place.given + 1,
                error: error,
                isMissing: place.given >= arguments.values.count
            )
        }
    }

    /// The parameters that a script has to pass.
    var parameters: [WorkDefinition.Parameter] { places.compactMap(\.parameter) }
}

/// The result of a closure, which lies where its arguments were.
struct PlacedResult: Sendable {
    /// Values of this kind are read as they are.
    private let plainKind: WorkDefinition.PlainKind?
    /// Converts the value at an address and leaves the address empty.
    private let convert: @Sendable (UnsafeMutableRawPointer) throws -> ScriptValue

    init<Value>(_ converter: ScriptConverter<Value>) {
        plainKind = .init(Value.self)
        let encode = converter.encode
        convert = { try encode($0.assumingMemoryBound(to: Value.self).move()) }
    }

    /// Takes the result for the script and leaves the address empty.
    @inline(__always)
    func take(from address: UnsafeMutableRawPointer) throws -> ScriptValue {
        try plainKind?.take(from: address) ?? convert(address)
    }
}

/// Takes the arguments that lie in memory, one after the other.
@usableFromInline
struct ArgumentCursor {
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline var end = 0

    @inlinable
    @inline(__always)
    init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
    }

    /// The address of the first argument; the buffer may be empty.
    @inline(__always)
    static func start(of buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawPointer {
        guard let base = buffer.baseAddress else { preconditionFailure("temporary memory has an address") }
        return base
    }

    /// Moves the next argument out of the memory.
    @inlinable
    @inline(__always)
    mutating func take<Value>(_ type: Value.Type) -> Value {
        let align = MemoryLayout<Value>.alignment
        let offset = (end + align - 1) & ~(align - 1)
        end = offset + MemoryLayout<Value>.size
        return (memory + offset).assumingMemoryBound(to: Value.self).move()
    }
}
