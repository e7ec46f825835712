#if HTTP
internal import CCurl
internal import Glibc
internal import OpScript
internal import Scheduling
internal import Synchronization

/// The thread on which all transfers of the process run, with the connections that they share.
///
/// It starts with the first request. When it had nothing to do for half a minute, it closes the connections and ends;
/// the next request starts another one.
// @unchecked because of `group`: it is set once. libcurl allows `ccurl_wake` from any thread, and it is called while
// `state` is locked and the thread has not ended; everything else is called on the thread.
final class TransferLoop: @unchecked Sendable {
    private enum Command {
        case begin(Transfer, CheckedContinuation<TransferLife.Ending, Never>)
        case cancel(Transfer)
    }

    private struct State {
        var commands: [Command] = []
        var hasEnded = false
    }

    private let group: UnsafeMutableRawPointer
    private let state = Mutex(State())
    /// Confined to the thread: the transfers that run, by their handles.
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]

    private static let current = Mutex<TransferLoop?>(nil)
    /// Milliseconds without a transfer after which the thread ends.
    private static let idle: CInt = 30_000

    private init?() {
        guard let group = ccurl_make_group() else { return nil }
        self.group = group
    }

    // MARK: From any thread

    /// Runs a transfer to its end; a cancellation of the task ends it.
    static func run(_ transfer: Transfer) async -> TransferLife.Ending {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                // Without memory or a thread.
                if !submit(.begin(transfer, waiter)) {
                    waiter.resume(returning: .failed(CCURLE_OUT_OF_MEMORY.rawValue))
                }
            }
        } onCancel: {
            transfer.isCancelled.store(true, ordering: .releasing)
            // The request may not have been submitted yet: then the thread finds the flag.
            current.withLock { $0 }?.post(.cancel(transfer))
        }
    }

    private static func submit(_ command: Command) -> Bool {
        current.withLock { current in
            if let current, current.post(command) { return true }
            guard let loop = TransferLoop() else { return false }
            guard SystemThread.start(name: "transfers", { loop.run() }) else {
                ccurl_free_group(loop.group)
                return false
            }
            current = loop
            return loop.post(command)
        }
    }

    /// False if the thread has ended.
    @discardableResult
    private func post(_ command: Command) -> Bool {
        state.withLock { state in
            if state.hasEnded { return false }
            // With commands before this one, the thread has been called already.
            if state.commands.isEmpty { ccurl_wake(group) }
            state.commands.append(command)
            return true
        }
    }

    // MARK: On the thread

    private func run() {
        // A write to a connection that the server has closed is an error, not a signal.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var wasIdle = false
        while let count = performCommands(ending: wasIdle) {
            ccurl_perform(group)
            finishEnded()
            wasIdle = running.isEmpty && count == 0
            wait()
        }
        // No other thread uses it once the loop has ended.
        ccurl_free_group(group)
    }

    /// Their number; nil if there are none and the thread is to end, which cannot be undone.
    private func performCommands(ending: Bool) -> Int? {
        let commands: [Command]? = state.withLock { state in
            defer { state.commands = [] }
            if ending, state.commands.isEmpty {
                state.hasEnded = true
                return nil
            }
            return state.commands
        }
        commands?.forEach(perform)
        return commands?.count
    }

    private func perform(_ command: Command) {
        switch command {
        case .begin(let transfer, let waiter):
            guard transfer.taken(waiter) else { return waiter.resume(returning: .cancelled) }
            ccurl_add(group, transfer.handle)
            running[transfer.handle] = transfer
        case .cancel(let transfer):
            guard running[transfer.handle] === transfer, transfer.cancelled() else { return }
            finish(transfer, .cancelled)
        }
    }

    private func finishEnded() {
        var code = CCURLE_OK
        while let handle = ccurl_next_ended(group, &code) {
            guard let transfer = running[handle] else { continue }
            finish(transfer, transfer.libraryEnded(code))
        }
    }

    /// Closes its connection unless the whole answer has arrived.
    private func finish(_ transfer: Transfer, _ ending: TransferLife.Ending) {
        ccurl_remove(group, transfer.handle)
        transfer.saveCookies()
        running[transfer.handle] = nil
        let waiter = transfer.waiter
        transfer.waiter = nil
        waiter?.resume(returning: ending)
    }

    /// Waits for the connections, for files that take no more now, and for a command.
    private func wait() {
        let paused = running.values.filter(\.isPaused)
        var others = paused.map {
            ccurl_wait(fd: $0.body.descriptor ?? -1, events: Int16(CCURL_WAIT_POLLOUT), revents: 0)
        }
        ccurl_poll(group, &others, UInt32(others.count), Self.idle)
        for transfer in paused {
            // libcurl does not report that a pipe has lost its reader.
            var file = pollfd(fd: transfer.body.descriptor ?? -1, events: Int16(POLLOUT), revents: 0)
            if poll(&file, 1, 0) > 0 { transfer.resume() }
        }
    }
}
#endif
