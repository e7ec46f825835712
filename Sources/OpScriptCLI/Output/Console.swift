// @preconcurrency because the C library's `stdout` is a variable; it is set before any thread starts.
@preconcurrency internal import Glibc
internal import OpScript
internal import OpScriptWorks
internal import Synchronization

/// Standard output and standard error of the command, with live lines that never cover either.
///
/// Standard output belongs to the script. It goes through the C library's `stdout`, which Lua's `io.write`
/// uses too, so that both keep their order. On a terminal, lines are written at once. Elsewhere they are
/// buffered, and written when the buffer is large, soon after the first of them, and at the end. Usable from
/// any thread.
final class Console: Sendable {
    private struct State {
        /// The error number with which standard output failed; nothing is written to it any more.
        var outputFailure: Int32?
        /// Whether the owner knows that output waits to be flushed or has failed.
        var hasCalledOwner = false
    }

    /// The terminal, while live lines may be shown there. A thread that writes output never waits for it.
    private struct Screen {
        var relay: TerminalRelay?
        var position = ScreenPosition()
        var liveLines: [String] = []
        /// Called with each output while a person edits a line, which stays below all output.
        var noteOutput: (@Sendable () -> Void)?
        /// The output that the editor of that line has to write above it.
        var aboveLine = OutputAboveLine()
    }

    private let state = Mutex(State())
    private let screen = Mutex(Screen())
    private let isOutputTerminal = Terminal.isAttached(to: STDOUT_FILENO)
    private let callOwner: @Sendable () -> Void

    /// Makes the console; `callOwner` is called when output waits to be flushed, or has failed.
    init(callOwner: @escaping @Sendable () -> Void) {
        self.callOwner = callOwner
    }

    /// The error number with which standard output failed, if it failed and no thread is writing at the
    /// moment.
    var outputFailure: Int32? { state.withLockIfAvailable { $0.outputFailure } ?? nil }

    /// Ends the command at once, without a message, if the reader of standard output has gone, as in `… | head -1`.
    func leaveIfReaderIsGone() {
        if outputFailure == EPIPE { OpScriptCommand.leave(ExitStatus.readerGone) }
    }

    // MARK: Writing

    /// Writes the output of the script.
    func writeOutput(_ bytes: [UInt8]) {
        let needsOwner = state.withLock { state in
            if state.outputFailure != nil { return false }
            errno = 0
            if fwrite(bytes, 1, bytes.count, stdout) < bytes.count
                || (isOutputTerminal && fflush(stdout) != 0)
            {
                state.outputFailure = errno
                return true
            }
            if state.hasCalledOwner { return false }
            state.hasCalledOwner = true
            return true
        }
        if needsOwner { callOwner() }
    }

    /// Writes a line, or several, to standard error.
    func writeError(_ text: String) {
        // On one terminal, earlier output appears before a message.
        state.withLock { _ in
            writeAll(STDERR_FILENO, RawText.bytes(of: text.hasSuffix("\n") ? text : text + "\n"))
        }
    }

    /// Writes bytes to standard error, behind all output so far.
    func writeError(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.outputFailure == nil { flush(&state) }
            writeAll(STDERR_FILENO, bytes)
        }
    }

    /// The same for a thread that must not wait: if another thread is blocked in writing, the line is written
    /// before earlier output.
    func writeErrorWithoutWaiting(_ text: String) {
        let bytes = RawText.bytes(of: text + "\n")
        let written: Void? = state.withLockIfAvailable { _ in writeAll(STDERR_FILENO, bytes) }
        if written == nil { writeAll(STDERR_FILENO, bytes) }
    }

    /// Begins a new line on the terminal behind output that does not end with one; for what follows the run. Off a
    /// terminal, and where no live lines were possible, it does nothing.
    func beginLine() {
        let isOpen = screen.withLock { !$0.position.isAtLineStart }
        if isOpen { writeError(Array("\n".utf8)) }
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

    /// Removes the live lines and writes the buffered output, even if that takes long.
    func finish() {
        state.withLock { state in
            if state.outputFailure == nil { flush(&state) }
        }
        releaseTerminal(within: 3600)
    }

    // MARK: Live lines

    /// Makes live lines possible: from now on, whatever is written to the terminal passes through here.
    ///
    /// Returns false if the system has no pseudo-terminal left; then there are no live lines.
    func takeTerminal() -> Bool {
        let relay = TerminalRelay { [weak self] bytes in self?.pass(bytes) }
        screen.withLock { $0.relay = relay }
        if relay != nil {
            ProcessRegistry.shared.lendScreen { [weak self] in self?.terminal(behind: $0) }
        }
        return relay != nil
    }

    /// The terminal behind a descriptor, for a program that uses the screen: all output so far is on it, and no live
    /// lines are.
    private func terminal(behind descriptor: Int32) -> Int32? {
        flushWithoutWaiting()
        guard let relay = screen.withLock({ $0.relay }), let terminal = relay.terminal(behind: descriptor)
        else { return nil }
        relay.drain(within: 1)
        screen.withLock { eraseLiveLines(&$0) }
        return terminal
    }

    /// Removes the live lines after all output so far, if that is possible within some seconds, and gives the terminal
    /// back.
    func releaseTerminal(within seconds: Double) {
        guard let relay = screen.withLock({ $0.relay }) else { return }
        ProcessRegistry.shared.lendScreen(nil)
        relay.end(within: seconds)
        screen.withLockIfAvailable { screen in
            eraseLiveLines(&screen)
            screen.relay = nil
        }
    }

    /// The number of rows and columns of the terminal; programs get the same from now on.
    func terminalSize() -> (rows: Int, columns: Int) {
        screen.withLockIfAvailable { $0.relay?.followSize() }
        return (Terminal.rows(of: STDERR_FILENO), Terminal.columns(of: STDERR_FILENO))
    }

    /// Shows lines that the next ones replace; skipped while another thread writes, behind a line without its end, and
    /// while a program uses the whole screen.
    func showLiveLines(_ lines: [String]) {
        // A program that asks a question may write it to the terminal itself.
        let lines = ProcessRegistry.shared.isTerminalLent ? [] : lines
        screen.withLockIfAvailable { screen in
            guard let relay = screen.relay, lines != screen.liveLines, screen.position.takesLiveLines,
                screen.noteOutput == nil
            else { return }
            let text = replacement(of: screen.liveLines, by: lines, on: relay)
            screen.liveLines = lines
            writeAll(relay.terminal, Array(text.utf8))
        }
    }

    /// Stops this process and its programs, as Ctrl-Z does, until it continues.
    func suspend(withGroup: Bool) {
        flushWithoutWaiting()
        screen.withLockIfAvailable { eraseLiveLines(&$0) }
        ProcessRegistry.shared.suspend(withGroup: withGroup)
    }

    /// Writes to the terminal what was written to the descriptors.
    private func pass(_ bytes: [UInt8]) {
        screen.withLock { screen in
            guard let relay = screen.relay else { return }
            if let noteOutput = screen.noteOutput {
                screen.aboveLine.add(bytes)
                return noteOutput()
            }
            eraseLiveLines(&screen)
            screen.position.follow(bytes)
            writeAll(relay.terminal, bytes)
        }
    }

    // MARK: The line that a person edits

    /// The terminal.
    var terminal: Int32 { screen.withLock { $0.relay?.terminal ?? STDERR_FILENO } }

    /// A person begins to edit a line: from now on, output waits until the editor takes it.
    ///
    /// - Parameter noteOutput: Called on any thread when there is some.
    func beginEditing(_ noteOutput: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.outputFailure == nil { flush(&state) }
        }
        screen.withLock { $0.relay }?.drain(within: 1)
        screen.withLock { screen in
            guard let relay = screen.relay else { return }
            eraseLiveLines(&screen)
            // The line begins on a row of its own.
            if !screen.position.isAtLineStart {
                screen.position.follow([10])
                writeAll(relay.terminal, [10])
            }
            screen.noteOutput = noteOutput
        }
    }

    /// The output that has to be written above the line now; it ends with a newline.
    func takeOutputAboveLine() -> [UInt8] { screen.withLock { $0.aboveLine.take() } }

    /// The line is complete, and the cursor is below it.
    func endEditing() {
        screen.withLock { screen in
            screen.noteOutput = nil
            guard let relay = screen.relay else { return }
            let rest = screen.aboveLine.takeAll()
            screen.position.follow(rest)
            writeAll(relay.terminal, rest)
        }
    }

    private func eraseLiveLines(_ screen: inout Screen) {
        guard let relay = screen.relay, !screen.liveLines.isEmpty else { return }
        let text = eraser(screen.liveLines, on: relay)
        screen.liveLines = []
        writeAll(relay.terminal, Array(text.utf8))
    }

    /// The text that puts lines in the place of those that end at the cursor: each is written over the old one, so that
    /// nothing flickers, and no terminal takes the old lines for output that belongs into its history.
    private func replacement(of old: [String], by new: [String], on relay: TerminalRelay) -> String {
        let columns = Terminal.columns(of: relay.terminal)
        if old.isEmpty || new.isEmpty || old.contains(where: { ProgressText.width(of: $0) > columns }) {
            return eraser(old, on: relay) + new.joined(separator: "\n")
        }
        var text = "\r"
        if old.count > 1 { text += "\u{1B}[\(old.count - 1)A" }
        text += new.dropLast().map { "\($0)\u{1B}[K\n" }.joined()
        text += new[new.count - 1] + "\u{1B}[K"
        let left = old.count - new.count
        if left > 0 {
            text += String(repeating: "\u{1B}[1B\u{1B}[2K", count: left) + "\u{1B}[\(left)A"
        }
        return text
    }

    /// The control sequence that removes the lines that end at the cursor. A terminal that has become
    /// narrower has wrapped them.
    private func eraser(_ lines: [String], on relay: TerminalRelay) -> String {
        if lines.isEmpty { return "" }
        let columns = Terminal.columns(of: relay.terminal)
        let rows = lines.reduce(0) { $0 + max(1, (ProgressText.width(of: $1) + columns - 1) / columns) }
        if rows == 1 { return "\r\u{1B}[2K" }
        // Line by line: a terminal that is cleared from its first row on may put all of it into its history.
        let up = "\u{1B}[\(rows - 1)A"
        return "\r\(up)\u{1B}[2K" + String(repeating: "\u{1B}[1B\u{1B}[2K", count: rows - 1) + up
    }

    // MARK: The command's own text

    /// Writes text of the command itself to standard output, and returns the exit status: a failure, with a message, if
    /// it was not written.
    static func show(_ text: String, name: String) -> Int32 {
        let console = Console(callOwner: {})
        console.writeOutput(Array(text.utf8))
        console.finish()
        console.leaveIfReaderIsGone()
        guard let code = console.outputFailure else { return ExitStatus.success }
        console.writeError(SystemReason.lostOutput(code, name: name))
        return ExitStatus.failure
    }

    // MARK: The C library

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
        // A pipe without a reader says so at any time.
        var place = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&place, 1, 0) > 0, place.revents & Int16(POLLERR) != 0 { return EPIPE }
        // Lua's write got the number. A device that still refuses reports it again, even if there is nothing to write.
        return write(STDOUT_FILENO, "", 0) < 0 ? errno : 0
    }

    /// Writes all bytes; gives up if the system refuses, since the failure cannot be reported anywhere.
    private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
        _ = DescriptorWriting.writeAll(bytes, to: descriptor)
    }
}
