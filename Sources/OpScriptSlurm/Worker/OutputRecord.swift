package import OpScript
internal import Synchronization

/// Keeps the output that a body causes on a node: that of its programs, and the lines that isolates print. It is shown
/// where the script runs, once the body has ended.
package final class OutputRecord: ProgramDisplay {
    private struct State {
        var pieces: [RemoteOutput] = []
        var size = 0
    }

    private let state = Mutex(State())

    /// Output beyond that many bytes of one body is left out.
    private static let limit = 1 << 20

    package init() {}

    /// The output since the last call.
    func take() -> [RemoteOutput] {
        state.withLock { state in
            defer { state = State() }
            return state.pieces
        }
    }

    /// An isolate has printed.
    package func printed(_ bytes: [UInt8]) { add(bytes[...], nil, isError: false) }

    package func begins(_ name: String?, _ commandLine: String, _ mode: ProgramOutputMode?) -> (
        any ProgramView
    )? {
        View(record: self, commandLine: commandLine)
    }

    package func takesColours(_ mode: ProgramOutputMode?) -> Bool { false }

    private struct View: ProgramView {
        let record: OutputRecord
        let commandLine: String

        func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool) {
            record.add(bytes, commandLine, isError: isError)
        }

        func ended() {}
    }

    private func add(_ bytes: ArraySlice<UInt8>, _ commandLine: String?, isError: Bool) {
        state.withLock { state in
            let room = Self.limit - state.size
            guard room > 0 else { return }
            state.size += bytes.count
            var kept = Array(bytes.prefix(room))
            if kept.count < bytes.count { kept += Array("\n… (the rest of the output is left out)\n".utf8) }
            if let last = state.pieces.last, last.commandLine == commandLine, last.isError == isError {
                state.pieces[state.pieces.count - 1].bytes += kept
            } else {
                state.pieces.append(RemoteOutput(commandLine: commandLine, isError: isError, bytes: kept))
            }
        }
    }
}
