/// The arguments of one execution, as the script gave them, with the context of the attempt where the closure wants one.
struct WorkArguments: Sendable {
    let values: ArgumentList
    let context: WorkContext?

    init(_ values: ArgumentList, _ context: WorkContext?) {
        self.values = values
        self.context = context
    }
}

/// Where the arguments of a closure lie in memory while it is called.
///
/// Laid out once, when the closure is registered. Calling it then converts each argument to its place, and takes it from there
/// by address alone: types that only the caller of `register` knew cost nothing at run time.
struct ArgumentLayout: Sendable {
    /// One parameter of the closure. A class, since each call looks at all of them, and copies none.
    final class Place: Sendable {
        let offset: Int
        /// Which of the script's arguments it is, counted from 0; -1 for the context, which the script does not give.
        let given: Int
        /// What a script has to know of it; nil for the context.
        let parameter: WorkDefinition.Parameter?
        /// Values of this kind are stored as they are, without `initialize`.
        let plainKind: WorkDefinition.PlainKind?
        /// Makes the argument at an address.
        let initialize: @Sendable (ScriptValue, WorkContext?, UnsafeMutableRawPointer) throws -> Void
        /// Destroys it there.
        let deinitialize: @Sendable (UnsafeMutableRawPointer) -> Void

        init(
            offset: Int,
            given: Int = -1,
            parameter: WorkDefinition.Parameter? = nil,
            initialize:
                @escaping @Sendable (ScriptValue, WorkContext?, UnsafeMutableRawPointer) throws -> Void,
            deinitialize: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
        ) {
            self.offset = offset
            self.given = given
            self.parameter = parameter
            plainKind = parameter?.plainKind
            self.initialize = initialize
            self.deinitialize = deinitialize
        }
    }

    private(set) var places: [Place] = []
    private(set) var size = 0
    private(set) var alignment = 1
    /// Why it is no good: a type that cannot come from a script.
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
                    initialize: { _, context, memory in
                        guard let context else {
                            preconditionFailure("a closure was called without its context")
                        }
                        memory.initializeMemory(as: WorkContext.self, to: context)
                    },
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
                parameter: parameter,
                initialize: { value, _, memory in
                    memory.assumingMemoryBound(to: Value.self).initialize(to: try decode(value))
                },
                deinitialize: deinitialize
            )
        )
    }

    /// Converts all arguments to their places from `memory` on; where one does not fit, none is left there.
    func fill(_ memory: UnsafeMutableRawPointer, _ arguments: WorkArguments) throws {
        for place in places {
            let address = memory + place.offset
            let value = place.given >= 0 ? arguments.values[place.given] : .nil
            if let kind = place.plainKind, kind.store(value, at: address) { continue }
            do {
                try place.initialize(value, arguments.context, address)
            } catch {
                for earlier in places.prefix(while: { $0 !== place }) {
                    earlier.deinitialize(memory + earlier.offset)
                }
                guard let error = error as? ScriptConversionError else { throw error }
                throw ArgumentMismatch(
                    argument: place.given + 1,
                    error: error,
                    isMissing: place.given >= arguments.values.count
                )
            }
        }
    }

    /// What a script has to give.
    var parameters: [WorkDefinition.Parameter] { places.compactMap(\.parameter) }
}

/// Takes the arguments that lie in memory, one after the other.
struct ArgumentCursor {
    private let memory: UnsafeMutableRawPointer
    private var end = 0

    init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
    }

    /// Where the first argument goes in memory that may be empty.
    static func start(of buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawPointer {
        guard let base = buffer.baseAddress else { preconditionFailure("temporary memory has an address") }
        return base
    }

    /// The next argument, which is no longer in memory then.
    mutating func take<Value>(_ type: Value.Type) -> Value {
        let align = MemoryLayout<Value>.alignment
        let offset = (end + align - 1) & ~(align - 1)
        end = offset + MemoryLayout<Value>.size
        return (memory + offset).assumingMemoryBound(to: Value.self).move()
    }
}
