internal import OpScript

/// The end of a body on its way back, with its node and the output that it has caused.
struct TaskReport: Sendable {
    var node: String
    var end: TaskEnd
    var output: [RemoteOutput]

    var bytes: [UInt8] {
        let pieces = output.map { piece -> ScriptValue in
            .array([
                piece.commandLine.map { .text($0) } ?? .nil, .boolean(piece.isError), .string(piece.bytes),
            ])
        }
        return ValueBytes.encode([.text(node), .array(pieces), .string(end.bytes)]) ?? []
    }

    init(node: String, end: TaskEnd, output: [RemoteOutput]) {
        self.node = node
        self.end = end
        self.output = output
    }

    /// nil for bytes of another form.
    init?(_ bytes: [UInt8]) {
        guard let values = ValueBytes.decode(bytes), values.count == 3, let node = values[0].string,
            case .array(let pieces) = values[1], case .string(let content) = values[2],
            let end = TaskEnd(content)
        else { return nil }
        self.init(node: node, end: end, output: [])
        for case .array(let piece) in pieces where piece.count == 3 {
            guard case .boolean(let isError) = piece[1], case .string(let bytes) = piece[2] else { continue }
            output.append(RemoteOutput(commandLine: piece[0].string, isError: isError, bytes: bytes))
        }
    }

    /// Gives the end to a call.
    func deliver(to call: RemoteCall) {
        call.report(place: "on \(node)")
        var isFailed = true
        if case .succeeded = end { isFailed = false }
        call.show(output, isFailed: isFailed)
        call.end(end.result)
    }
}
