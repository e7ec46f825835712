// @preconcurrency because the C library's `stdout` is a variable; it is set before any thread starts.
@preconcurrency internal import Glibc
internal import Synchronization

/// Standard output and standard error of the command, with a live line that never mixes with either.
///
/// Standard output belongs to the script. On a terminal its lines show at once; elsewhere they are gathered, and
/// written when much has come, soon after the first of them, and at the end. Usable from any thread.
final class Console: Sendable {
    /// How many bytes are gathered before they are written.
    private static let gatheredAtMost = 32_768
    /// What a pipe that has room takes without blocking.
    private static let pieceWithoutBlocking = 4096

    private struct State {
        var output: [UInt8] = []
        var liveLine = ""
        /// The error number with which standard output failed; nothing is written to it any more.
        var outputFailure: Int32?
        /// Whether the owner knows that something is to be flushed or has failed.
        var hasCalledOwner = false
    }

    private let state = Mutex(State())
    private let isOutputTerminal = Terminal.isAttached(to: STDOUT_FILENO)
    private let callOwner: @Sendable () -> Void

    /// Makes the console; `callOwner` is called when output waits to be
    /// flushed, or has failed.
    init(callOwner: @escaping @Sendable () -> Void) {
        self.callOwner = callOwner
    }

    /// The error number with which standard output failed, if it did.
    var outputFailure: Int32? { state.withLockIfAvailable { $0.outputFailure } ?? nil }

    /// Writes what the script prints.
    func writeOutput(_ bytes: [UInt8]) {
        let needsOwner = state.withLock { state in
            if state.outputFailure != nil { return false }
            state.output += bytes
            if isOutputTerminal {
                eraseLiveLine(&state)
                writeGathered(&state)
            } else if state.output.count >= Self.gatheredAtMost {
                writeGathered(&state)
            }
            if state.hasCalledOwner || (state.output.isEmpty && state.outputFailure == nil) { return false }
            state.hasCalledOwner = true
            return true
        }
        if needsOwner { callOwner() }
    }

    /// Writes a line, or several, to standard error.
    func writeError(_ text: String) {
        state.withLock { state in
            eraseLiveLine(&state)
            // On one terminal, what was printed before a complaint stands before it.
            writeAll(STDERR_FILENO, Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
        }
    }

    /// The same for a thread that must not wait: where another one is stuck in writing, the line goes out of turn.
    func writeErrorWithoutWaiting(_ text: String) {
        let written: Void? = state.withLockIfAvailable { state in
            eraseLiveLine(&state)
            writeAll(STDERR_FILENO, Array((text + "\n").utf8))
        }
        if written == nil { writeAll(STDERR_FILENO, Array((text + "\n").utf8)) }
    }

    /// Writes gathered output as far as that does not block; false if something is left.
    func flushWithoutWaiting() -> Bool {
        state.withLockIfAvailable { state in
            while !state.output.isEmpty, state.outputFailure == nil {
                var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                guard poll(&descriptor, 1, 0) > 0 else { return false }
                let count = min(state.output.count, Self.pieceWithoutBlocking)
                if let code = writeAll(STDOUT_FILENO, Array(state.output[..<count])) {
                    fail(&state, code)
                } else {
                    state.output.removeFirst(count)
                }
            }
            state.hasCalledOwner = false
            return true
        } ?? false
    }

    /// Shows a line that the next one replaces; skipped while another thread writes.
    func showLiveLine(_ text: String) {
        state.withLockIfAvailable { state in
            guard text != state.liveLine else { return }
            state.liveLine = text
            writeAll(STDERR_FILENO, Array("\r\u{1B}[2K\(text)".utf8))
        }
    }

    /// Removes the live line and writes what was gathered, however long that takes.
    func finish() {
        state.withLock { state in
            eraseLiveLine(&state)
            writeGathered(&state)
        }
        // Lua's own `io.stdout` gathers by itself.
        fflush(stdout)
    }

    private func eraseLiveLine(_ state: inout State) {
        guard !state.liveLine.isEmpty else { return }
        state.liveLine = ""
        writeAll(STDERR_FILENO, Array("\r\u{1B}[2K".utf8))
    }

    private func writeGathered(_ state: inout State) {
        if state.outputFailure == nil, let code = writeAll(STDOUT_FILENO, state.output) { fail(&state, code) }
        state.output.removeAll(keepingCapacity: true)
    }

    private func fail(_ state: inout State, _ code: Int32) {
        state.outputFailure = code
        state.output = []
    }

    /// Writes all bytes; the error number if the system refuses.
    @discardableResult
    private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Someone shares the descriptor and made it non-blocking: wait for room.
                    var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&place, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}
