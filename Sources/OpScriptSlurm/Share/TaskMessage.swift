internal import OpScript

/// A body on its way to a node.
struct TaskMessage: Sendable {
    /// The number of the ``RemoteCall``.
    var number: UInt64
    var work: String
    var name: String
    /// By ``ValueBytes``.
    var arguments: [UInt8]
    var code: [UInt8]?
    var timeLimit: Double?
    var attempt: Int
    /// Identifies the same operation in another run; nil without a journal.
    var key: [UInt8]?

    init(_ call: RemoteCall) {
        number = call.number
        work = call.work
        name = call.name
        arguments = call.arguments
        code = call.code
        timeLimit = call.timeLimit
        attempt = call.attempt
        key = call.key
    }

    var bytes: [UInt8] {
        let values: [ScriptValue] = [
            .integer(Int64(number)), .text(work), .text(name), .string(arguments),
            code.map { .string($0) } ?? .nil,
            timeLimit.map { .number($0) } ?? .nil, .integer(Int64(attempt)), key.map { .string($0) } ?? .nil,
        ]
        return ValueBytes.encode(values) ?? []
    }

    /// nil for bytes of another form.
    init?(_ bytes: [UInt8]) {
        guard let values = ValueBytes.decode(bytes), values.count == 8, case .integer(let number) = values[0],
            let work = values[1].string, let name = values[2].string, case .string(let arguments) = values[3],
            case .integer(let attempt) = values[6], let number = UInt64(exactly: number)
        else { return nil }
        self.number = number
        self.work = work
        self.name = name
        self.arguments = arguments
        if case .string(let code) = values[4] { self.code = code }
        if case .number(let limit) = values[5] { timeLimit = limit }
        self.attempt = Int(attempt)
        if case .string(let key) = values[7] { self.key = key }
    }
}

/// The end of a body on its way back.
enum TaskEnd: Sendable {
    case succeeded([ScriptValue])
    case failed(ScriptError)
    case cancelled

    var bytes: [UInt8] {
        switch self {
        case .succeeded(let values):
            if let bytes = ValueBytes.encode([.text("result")] + values) { return bytes }
            return TaskEnd.failed(
                ScriptError(
                    .failed,
                    "the result is an object, which cannot be sent from a node; write it to a file there"
                )
            ).bytes
        case .failed(let error):
            var fields = ScriptTable()
            for (name, value) in error.fields where ValueBytes.encode([value]) != nil { fields[name] = value }
            let values: [ScriptValue] = [
                .text("error"), .text(error.code.name), .text(error.message), .table(fields),
                error.traceback.map { .text($0) } ?? .nil,
            ]
            return ValueBytes.encode(values) ?? []
        case .cancelled: return ValueBytes.encode([.text("cancelled")]) ?? []
        }
    }

    /// nil for bytes of another form.
    init?(_ bytes: some Sequence<UInt8>) {
        guard let values = ValueBytes.decode(Array(bytes)), let kind = values.first?.string else {
            return nil
        }
        switch kind {
        case "result": self = .succeeded(Array(values.dropFirst()))
        case "cancelled": self = .cancelled
        case "error":
            guard values.count == 5, let code = values[1].string, let message = values[2].string,
                case .table(let fields) = values[3]
            else { return nil }
            var error = ScriptError(ScriptError.Code(received: code), message)
            for entry in fields.entries {
                if let name = entry.key.string { error.fields[name] = entry.value }
            }
            error.traceback = values[4].string
            self = .failed(error)
        default: return nil
        }
    }

    /// The same as the end of a call.
    var result: Result<[ScriptValue], any Error> {
        switch self {
        case .succeeded(let values): .success(values)
        case .failed(let error): .failure(error)
        case .cancelled: .failure(CancellationError())
        }
    }
}
