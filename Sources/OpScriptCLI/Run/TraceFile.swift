internal import Glibc
internal import OpScript
internal import Synchronization

/// Writes a trace to a file. From any thread.
final class TraceFile: Sendable {
    private struct State {
        var descriptor: Int32
        var waiting: [UInt8] = []
        var failure: Int32?
    }

    private let state: Mutex<State>

    /// Opens it; `-` is standard error. Nil, with `errno`, if that fails.
    init?(_ path: String) {
        let descriptor =
            path == "-"
            ? STDERR_FILENO
            : RawText.withCString(path) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { return nil }
        state = Mutex(State(descriptor: descriptor))
    }

    /// Appends whole lines, with their newlines.
    func append(_ lines: [UInt8]) {
        state.withLock { state in
            state.waiting += lines
            if state.waiting.count >= 65_536 { flush(&state) }
        }
    }

    /// Writes the buffered lines, and returns the error number if something could not be written.
    func close() -> Int32? {
        state.withLock { state in
            flush(&state)
            if state.descriptor > STDERR_FILENO { Glibc.close(state.descriptor) }
            return state.failure
        }
    }

    private func flush(_ state: inout State) {
        if state.failure == nil {
            state.failure = DescriptorWriting.writeAll(state.waiting, to: state.descriptor)
        }
        state.waiting.removeAll(keepingCapacity: true)
    }
}
