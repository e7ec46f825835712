internal import Glibc
internal import OpScript
internal import Synchronization

/// The foreground of the terminal, which programs with `input = "inherit"` have one after the other.
///
/// Every program leads a process group of its own, and the kernel stops a program that reads from the terminal while
/// another group has the foreground. So the foreground is handed over for the life of the program, as a shell does it.
/// Without a terminal, or while this process is in the background itself, nothing is handed over.
final class Foreground: Sendable {
    static let shared = Foreground()

    private struct State {
        var isTaken = false
        var nextNumber = 0
        /// The numbers of those that do not wait yet.
        var coming: Set<Int> = []
        /// True is for one that has got the foreground.
        var waiters: [(number: Int, waiter: CheckedContinuation<Bool, Never>)] = []
        /// The terminal, and its modes before it was handed over.
        var terminal: SharedDescriptor?
        var modes: termios?
        /// Whether a program has the screen as well, or is about to get it.
        var isScreenLent = false
        var screen: Screen?
    }

    /// The terminal behind a descriptor of this process that leads elsewhere, after the screen was prepared; nil if the
    /// descriptor is what it seems.
    typealias Screen = @Sendable (_ descriptor: CInt) -> CInt?

    private let state = Mutex(State())

    /// Whether a program has the foreground, or is about to get it.
    var isHandedOver: Bool { state.withLock { $0.terminal != nil || $0.isScreenLent } }

    func setScreen(_ screen: Screen?) { state.withLock { $0.screen = screen } }

    /// The descriptors that a program with the foreground inherits as standard output and standard error; nil for those
    /// of this process.
    func outputs() throws(SystemCallError) -> [SharedDescriptor?] {
        let screen = state.withLock { state in
            state.isScreenLent = state.screen != nil
            return state.screen
        }
        var outputs: [SharedDescriptor?] = []
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            guard let terminal = screen?(descriptor) else {
                outputs.append(nil)
                continue
            }
            outputs.append(try SharedDescriptor { fcntl(terminal, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) })
        }
        return outputs
    }

    // MARK: One after the other

    /// Waits until no other program has the foreground; ``giveUp()`` ends that.
    ///
    /// - Throws: `CancellationError`.
    func take(_ context: WorkContext) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.coming.insert(state.nextNumber)
            return state.nextNumber
        }
        context.onCancel { [self] in leave(number) }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isTaken: Bool? = state.withLock { state in
                    guard state.coming.remove(number) != nil else { return false }
                    if state.isTaken {
                        state.waiters.append((number, waiter))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let isTaken { waiter.resume(returning: isTaken) }
            }
        } onCancel: {
            leave(number)
        }
        guard isTaken else { throw CancellationError() }
    }

    private func leave(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.coming.remove(number)
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: place).waiter
        }
        waiter?.resume(returning: false)
    }

    /// Lets the next one continue.
    func giveUp() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.isScreenLent = false
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().waiter
        }
        next?.resume(returning: true)
    }

    // MARK: The terminal

    /// The terminal, for the start of a program in the foreground; nil if this process does not have the foreground.
    ///
    /// The program takes the foreground before its first instruction: if it was handed over when the program runs
    /// already, a key such as Ctrl-C could reach this process although the program has written its first question.
    /// Call ``takeBack(restoresModes:)`` even if the start fails.
    func lend() -> SharedDescriptor? { state.withLock { Self.lend(&$0) } }

    private static func lend(_ state: inout State) -> SharedDescriptor? {
        guard let terminal = try? SharedDescriptor({ open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) }),
            tcgetpgrp(terminal.number) == getpgrp()
        else { return nil }
        state.terminal = terminal
        var modes = termios()
        state.modes = tcgetattr(terminal.number, &modes) == 0 ? modes : nil
        return terminal
    }

    /// Gives a process group that wanted to use the terminal the foreground, and lets it continue; false if this
    /// process does not have the foreground, and has not handed it over.
    func handOver(to group: pid_t) -> Bool {
        state.withLock { state in
            guard let terminal = state.terminal ?? Self.lend(&state) else { return false }
            guard Self.inBackground({ tcsetpgrp(terminal.number, group) }) == 0 else {
                state.terminal = nil
                state.modes = nil
                return false
            }
            kill(-group, SIGCONT)
            return true
        }
    }

    /// Takes the foreground back, if it was handed over.
    ///
    /// - Parameter restoresModes: Whether the terminal gets the modes that it had before, since the program had no time
    ///   to restore them.
    func takeBack(restoresModes: Bool) {
        state.withLock { state in
            guard let terminal = state.terminal.take() else { return }
            Self.inBackground {
                tcsetpgrp(terminal.number, getpgrp())
                if restoresModes, var modes = state.modes { tcsetattr(terminal.number, TCSADRAIN, &modes) }
            }
            state.modes = nil
        }
    }

    /// A background process that changes the terminal is stopped by SIGTTOU, unless the signal is blocked.
    @discardableResult
    private static func inBackground<Result>(_ body: () -> Result) -> Result {
        var blocked = sigset_t()
        var former = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        return body()
    }

    /// The program was stopped from the keyboard: stops the command as well, and lets both continue together.
    func suspend(_ group: pid_t, _ registry: ProcessRegistry) {
        takeBack(restoresModes: false)
        registry.suspend(withGroup: true)
        _ = handOver(to: group)
    }
}

/// Why a program stopped.
enum TerminalStop: Equatable {
    /// It wanted to read from the terminal, or to write to it.
    case reads, writes
    /// A key of the terminal stopped it.
    case key

    /// The stop of a child that has not been seen yet; nil if there is none, or it has nothing to do with the terminal.
    init?(ofProcess descriptor: CInt) {
        var information = siginfo_t()
        let byDescriptor = idtype_t(rawValue: 3)  // P_PIDFD
        guard waitid(byDescriptor, id_t(descriptor), &information, WSTOPPED | WNOHANG) == 0,
            information._sifields._sigchld.si_pid != 0
        else { return nil }
        switch information._sifields._sigchld.si_status {
        case SIGTTIN: self = .reads
        case SIGTTOU: self = .writes
        case SIGTSTP: self = .key
        default: return nil
        }
    }

    /// The error of the operation.
    func error(_ command: Command) -> ScriptError {
        let wish = self == .writes ? "write to the terminal" : "read from the terminal"
        let remedy =
            command.options.input == .inherit
            ? "this command is in the background itself"
            : "only a program with input = \"inherit\" is in the foreground"
        return ScriptError(.failed, "'\(command.name)' stopped, because it wants to \(wish): \(remedy)")
    }
}
