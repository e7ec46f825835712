internal import OpScript

/// The end of a body on its way back, with its node and the output that it has caused.
struct TaskReport: Sendable {
    var node: String
    /// How long the body has run there.
    var seconds = 0.0
    var end: TaskEnd
    var output: [RemoteOutput]

    var bytes: [UInt8] {
        let pieces = output.map { piece -> ScriptValue in
            .array([
                piece.commandLine.map { .text($0) } ?? .nil, .boolean(piece.isError), .string(piece.bytes),
            ])
        }
        return ValueBytes.encode([.text(node), .number(seconds), .array(pieces), .string(end.bytes)]) ?? []
    }

    init(node: String, seconds: Double = 0, end: TaskEnd, output: [RemoteOutput]) {
        self.node = node
        self.seconds = seconds
        self.end = end
        self.output = output
    }

    /// nil for bytes of another form.
    init?(_ bytes: [UInt8]) {
        guard let values = ValueBytes.decode(bytes), values.count == 4, let node = values[0].string,
            case .number(let seconds) = values[1], case .array(let pieces) = values[2],
            case .string(let content) = values[3],
            let end = TaskEnd(content)
        else { return nil }
        self.init(node: node, seconds: seconds, end: end, output: [])
        for case .array(let piece) in pieces where piece.count == 3 {
            guard case .boolean(let isError) = piece[1], case .string(let bytes) = piece[2] else { continue }
            output.append(RemoteOutput(commandLine: piece[0].string, isError: isError, bytes: bytes))
        }
    }

    /// Gives the end to a call.
    func deliver(to call: RemoteCall) {
        call.ran(on: node, for: seconds)
        var isFailed = true
        if case .succeeded = end { isFailed = false }
        call.show(output, isFailed: isFailed)
        call.end(end.result)
    }
}
