internal import Glibc
internal import CLinux
internal import Synchronization
internal import SystemPackage

/// A small process that ends process groups when this process is gone, for any reason.
///
/// The list of running groups is in memory that it shares with this process, so it sleeps until the system
/// closes this process's end of a pipe. The system does so when this process dies, even by SIGKILL. Linux can
/// signal a child when the thread that started it ends, but only that child and not its group, and only by
/// code that runs between fork and exec. Therefore a separate process is needed.
final class Guardian: Sendable {
    /// Nothing is ever written to it.
    private let pipe: SharedDescriptor
    private let table: GroupTable
    private let shell: GuardianProcess

    /// The number of the process, which leads a session of its own; nil before it has started.
    var process: pid_t? { shell.number }

    /// A shell script that waits for the end of its input, then reads the list, and ignores signals that a
    /// terminal sends to all processes.
    private static let program = """
        trap '' INT TERM HUP QUIT
        while read -r line; do :; done
        while read -r group <&3; do
            if [ "$group" ]; then kill -KILL "-$group"; fi
        done
        """

    /// Starts it; nil if the system refuses a pipe or memory, and then there is no guardian.
    init?() {
        do throws(SystemCallError) {
            let table = try GroupTable()
            let list = try table.readersDescriptor()
            let ends = try Pipe()
            let process = GuardianProcess(input: ends.reading, list: list)
            pipe = ends.writing
            self.table = table
            shell = process
            // Groups that are added before it has started are in the table.
            Task.detached { process.start(Self.program) }
        } catch {
            return nil
        }
    }

    func watch(_ group: pid_t) { table.add(group) }

    func forget(_ group: pid_t) { table.remove(group) }
}

/// The process of a guardian, which is reaped when it has ended.
private final class GuardianProcess: ProcessMonitor.Listener {
    private struct State {
        /// For the process, until it has started.
        var input: SharedDescriptor?
        var list: SharedDescriptor?
        /// The descriptor that represents the process.
        var process: SharedDescriptor?
        var token: ProcessMonitor.Token?
        var number: pid_t?
    }

    private let state: Mutex<State>

    init(input: SharedDescriptor, list: SharedDescriptor) {
        state = Mutex(State(input: input, list: list))
    }

    var number: pid_t? { state.withLock { $0.number } }

    /// Starts it; if that fails, there is no guardian.
    func start(_ program: String) {
        guard let monitor = try? ProcessMonitor.shared() else { return }
        state.withLock { state in
            let nothing = monitor.nothing
            guard let input = state.input.take(), let list = state.list.take(),
                let process = try? ProcessStart(
                    program: "/bin/sh",
                    words: ["/bin/sh", "-c", program].map { Array($0.utf8) },
                    environment: ProcessEnvironment(inherits: false),
                    // Signals of a terminal do not reach it.
                    leadsSession: true,
                    // It holds none of our output descriptors; otherwise a reader of our output would wait
                    // for the guardian's end.
                    descriptors: [input, nothing, nothing, list]
                )()
            else { return }
            state.number = process
            let number = linux_open_process(process)
            guard number >= 0 else { return }
            state.process = SharedDescriptor(owning: number)
            let token = monitor.add(self)
            state.token = token
            try? monitor.watch(number, .ended, for: token)
        }
    }

    func happened(_ event: ProcessMonitor.Event, _ scratch: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            if let process = state.process.take() { _ = ProcessEnd.reap(process.number) }
            if let token = state.token.take() { (try? ProcessMonitor.shared())?.remove(token) }
        }
    }

    func timeReached(_ now: ContinuousClock.Instant) {}
}
