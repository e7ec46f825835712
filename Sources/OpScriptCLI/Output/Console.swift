// @preconcurrency because the C library's `stdout` is a variable; it is set before any thread starts.
@preconcurrency internal import Glibc
internal import Synchronization

/// Standard output and standard error of the command, with live lines that never mix with either.
///
/// Standard output belongs to the script. It goes through the C library's `stdout`, which Lua's `io.write` uses too, so
/// that both keep their order. On a terminal lines show at once; elsewhere they are gathered, and written when much has
/// come, soon after the first of them, and at the end. Usable from any thread.
final class Console: Sendable {
    private struct State {
        var liveLines: [String] = []
        /// The error number with which standard output failed; nothing is written to it any more.
        var outputFailure: Int32?
        /// Whether the owner knows that something is to be flushed or has failed.
        var hasCalledOwner = false
    }

    private let state = Mutex(State())
    private let isOutputTerminal = Terminal.isAttached(to: STDOUT_FILENO)
    private let callOwner: @Sendable () -> Void

    /// Makes the console; `callOwner` is called when output waits to be flushed, or has failed.
    init(callOwner: @escaping @Sendable () -> Void) {
        self.callOwner = callOwner
    }

    /// The error number with which standard output failed, if it did and nobody is writing just now.
    var outputFailure: Int32? { state.withLockIfAvailable { $0.outputFailure } ?? nil }

    /// Writes what the script prints.
    func writeOutput(_ bytes: [UInt8]) {
        let needsOwner = state.withLock { state in
            if state.outputFailure != nil { return false }
            if isOutputTerminal { eraseLiveLines(&state) }
            errno = 0
            if fwrite(bytes, 1, bytes.count, stdout) < bytes.count
                || (isOutputTerminal && fflush(stdout) != 0)
            {
                state.outputFailure = errno
            }
            if state.hasCalledOwner { return false }
            state.hasCalledOwner = true
            return true
        }
        if needsOwner { callOwner() }
    }

    /// Writes a line, or several, to standard error.
    func writeError(_ text: String) {
        state.withLock { state in
            eraseLiveLines(&state)
            // On one terminal, what was printed before a complaint stands before it.
            writeAll(STDERR_FILENO, Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
        }
    }

    /// The same for a thread that must not wait: where another one is stuck in writing, the line goes out of turn.
    func writeErrorWithoutWaiting(_ text: String) {
        let written: Void? = state.withLockIfAvailable { state in
            eraseLiveLines(&state)
            writeAll(STDERR_FILENO, Array((text + "\n").utf8))
        }
        if written == nil { writeAll(STDERR_FILENO, Array((text + "\n").utf8)) }
    }

    /// Writes what was gathered, where that does not block.
    func flushWithoutWaiting() {
        state.withLockIfAvailable { state in
            // Where a pipe has room, it has room for all that `stdout` gathers.
            var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            guard state.outputFailure == nil, poll(&descriptor, 1, 0) > 0, ftrylockfile(stdout) == 0 else {
                return
            }
            flush(&state)
            funlockfile(stdout)
            state.hasCalledOwner = false
        }
    }

    /// Shows lines that the next ones replace; skipped while another thread writes.
    func showLiveLines(_ lines: [String]) {
        state.withLockIfAvailable { state in
            guard lines != state.liveLines else { return }
            let text = eraser(state.liveLines) + lines.joined(separator: "\n")
            state.liveLines = lines
            writeAll(STDERR_FILENO, Array(text.utf8))
        }
    }

    /// Removes the live lines and writes what was gathered, however long that takes.
    func finish() {
        state.withLock { state in
            eraseLiveLines(&state)
            if state.outputFailure == nil { flush(&state) }
        }
    }

    /// Writes what `stdout` has gathered, and notes a failure of this and of what Lua itself has written before.
    private func flush(_ state: inout State) {
        errno = 0
        if fflush(stdout) != 0 || ferror(stdout) != 0 { state.outputFailure = errno }
    }

    private func eraseLiveLines(_ state: inout State) {
        guard !state.liveLines.isEmpty else { return }
        let text = eraser(state.liveLines)
        state.liveLines = []
        writeAll(STDERR_FILENO, Array(text.utf8))
    }

    /// What removes lines that end at the cursor. A terminal that has become narrower has wrapped them.
    private func eraser(_ lines: [String]) -> String {
        if lines.isEmpty { return "" }
        let columns = Terminal.columns(of: STDERR_FILENO)
        let rows = lines.reduce(0) { $0 + max(1, (ProgressText.width(of: $1) + columns - 1) / columns) }
        return rows == 1 ? "\r\u{1B}[2K" : "\r\u{1B}[\(rows - 1)A\u{1B}[J"
    }

    /// Writes all bytes; gives up where the system refuses, for there is nowhere left to complain.
    private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
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
                    return
                }
            }
        }
    }
}
