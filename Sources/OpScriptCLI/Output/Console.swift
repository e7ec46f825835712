// @preconcurrency because the C library's `stdout` is a variable; it is set before any thread starts.
@preconcurrency internal import Glibc
internal import OpScript
internal import Synchronization

/// Standard output and standard error of the command, with live lines that never mix with either.
///
/// Standard output belongs to the script. It goes through the C library's `stdout`, which Lua's `io.write`
/// uses too, so that both keep their order. On a terminal, lines are written at once. Elsewhere they are
/// buffered, and written when the buffer is large, soon after the first of them, and at the end. Usable from
/// any thread.
final class Console: Sendable {
    private struct State {
        var liveLines: [String] = []
        /// The error number with which standard output failed; nothing is written to it any more.
        var outputFailure: Int32?
        /// Whether the owner knows that output waits to be flushed or has failed.
        var hasCalledOwner = false
    }

    private let state = Mutex(State())
    private let isOutputTerminal = Terminal.isAttached(to: STDOUT_FILENO)
    private let callOwner: @Sendable () -> Void

    /// Makes the console; `callOwner` is called when output waits to be flushed, or has failed.
    init(callOwner: @escaping @Sendable () -> Void) {
        self.callOwner = callOwner
    }

    /// The error number with which standard output failed, if it failed and no thread is writing at the
    /// moment.
    var outputFailure: Int32? { state.withLockIfAvailable { $0.outputFailure } ?? nil }

    /// Writes the output of the script.
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
            // On one terminal, earlier output appears before a message.
            writeAll(STDERR_FILENO, Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
        }
    }

    /// The same for a thread that must not wait: if another thread is blocked in writing, the line is written
    /// before earlier output.
    func writeErrorWithoutWaiting(_ text: String) {
        let written: Void? = state.withLockIfAvailable { state in
            eraseLiveLines(&state)
            writeAll(STDERR_FILENO, Array((text + "\n").utf8))
        }
        if written == nil { writeAll(STDERR_FILENO, Array((text + "\n").utf8)) }
    }

    /// Writes the buffered output if that does not block.
    func flushWithoutWaiting() {
        state.withLockIfAvailable { state in
            // If a pipe has room, it has room for the whole buffer of `stdout`.
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

    /// Removes the live lines and writes the buffered output, even if that takes long.
    func finish() {
        state.withLock { state in
            eraseLiveLines(&state)
            if state.outputFailure == nil { flush(&state) }
        }
    }

    /// Writes the buffer of `stdout`, and notes a failure of this or of earlier writes by Lua.
    private func flush(_ state: inout State) {
        errno = 0
        if fflush(stdout) != 0 || ferror(stdout) != 0 {
            let code = errno
            state.outputFailure = code != 0 ? code : reasonOfEarlierFailure()
        }
    }

    /// The error number with which a flush of the engine, or a write of Lua, failed; 0 if it is not known.
    private func reasonOfEarlierFailure() -> Int32 {
        if StandardStreams.outputFailure != 0 { return StandardStreams.outputFailure }
        // Lua's write got the number. A device that still refuses reports it again, even if there is nothing to write.
        return write(STDOUT_FILENO, "", 0) < 0 ? errno : 0
    }

    private func eraseLiveLines(_ state: inout State) {
        guard !state.liveLines.isEmpty else { return }
        let text = eraser(state.liveLines)
        state.liveLines = []
        writeAll(STDERR_FILENO, Array(text.utf8))
    }

    /// The control sequence that removes the lines that end at the cursor. A terminal that has become
    /// narrower has wrapped them.
    private func eraser(_ lines: [String]) -> String {
        if lines.isEmpty { return "" }
        let columns = Terminal.columns(of: STDERR_FILENO)
        let rows = lines.reduce(0) { $0 + max(1, (ProgressText.width(of: $1) + columns - 1) / columns) }
        return rows == 1 ? "\r\u{1B}[2K" : "\r\u{1B}[\(rows - 1)A\u{1B}[J"
    }

    /// Writes all bytes; gives up if the system refuses, since the failure cannot be reported anywhere.
    private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Another process shares the descriptor and has made it non-blocking: wait for room.
                    var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&place, 1, -1)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
