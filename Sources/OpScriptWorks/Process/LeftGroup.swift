internal import Glibc
internal import CLinux
internal import Synchronization

/// The rest of a group after its first process has ended and was reaped: processes, and the pipes that they may write
/// to. Their output is read and dropped, so that no closed pipe ends them.
final class LeftGroup: ProcessMonitor.Listener {
    private struct State {
        var isAlive = true
        var pipes: [SharedDescriptor?] = []
        var members: [SharedDescriptor] = []
        var livingMembers = 0
        var token: ProcessMonitor.Token?
    }

    private let group: pid_t
    private let registry: ProcessRegistry
    private let monitor: ProcessMonitor
    private let state = Mutex(State())

    private init(_ group: pid_t, _ registry: ProcessRegistry, _ monitor: ProcessMonitor) {
        self.group = group
        self.registry = registry
        self.monitor = monitor
    }

    /// Watches a group until nothing of it is left, and removes it from the registry then.
    ///
    /// - Parameter pipes: Standard output and error output, if they have not ended.
    static func watch(
        _ group: pid_t,
        pipes: [SharedDescriptor?],
        _ registry: ProcessRegistry,
        _ monitor: ProcessMonitor
    ) {
        reapAdopted(group)
        let isAlive = kill(-group, 0) == 0 || errno == EPERM
        if !isAlive { registry.remove(group) }
        guard isAlive || pipes.contains(where: { $0 != nil }) else { return }
        let left = LeftGroup(group, registry, monitor)
        left.state.withLock { state in
            let token = monitor.add(left)
            state.token = token
            state.isAlive = isAlive
            state.pipes = pipes
            for (pipe, event) in zip(pipes, [ProcessMonitor.Event.output, .errorOutput]) {
                // One that cannot be watched stays open, so that no process is ended by it.
                if let pipe { try? monitor.watch(pipe.number, event, for: token) }
            }
            if isAlive { left.lookForMembers(&state) }
            left.endIfOver(&state)
        }
    }

    /// Reaps members that have become children of this process because their parents ended.
    private static func reapAdopted(_ group: pid_t) {
        var status: CInt = 0
        while waitpid(-group, &status, WNOHANG) > 0 {}
    }

    func happened(_ event: ProcessMonitor.Event, _ scratch: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            switch event {
            case .output: drop(0, scratch, &state)
            case .errorOutput: drop(1, scratch, &state)
            case .memberEnded:
                state.livingMembers -= 1
                if state.livingMembers == 0 { lookForMembers(&state) }
            case .ended: break
            }
            endIfOver(&state)
        }
    }

    func timeReached(_ now: ContinuousClock.Instant) {}

    private func drop(_ place: Int, _ scratch: UnsafeMutableRawBufferPointer, _ state: inout State) {
        guard let pipe = state.pipes[place] else { return }
        let count = read(pipe.number, scratch.baseAddress, scratch.count)
        if count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        monitor.unwatch(pipe.number)
        state.pipes[place] = nil
    }

    private func lookForMembers(_ state: inout State) {
        guard let token = state.token else { return }
        // Processes that end during the check may have started others.
        for _ in 0..<16 {
            state.members = []
            Self.reapAdopted(group)
            // If the group cannot be listed, it counts as alive until the end of the run.
            guard let members = LiveProcess.members(of: group) else { return }
            if members.isEmpty {
                state.isAlive = false
                registry.remove(group)
                return
            }
            for member in members {
                let number = linux_open_process(member)
                if number < 0 { continue }
                let descriptor = SharedDescriptor(owning: number)
                guard (try? monitor.watch(number, .memberEnded, for: token)) != nil else { continue }
                state.members.append(descriptor)
                state.livingMembers += 1
            }
            if state.livingMembers > 0 { return }
        }
    }

    private func endIfOver(_ state: inout State) {
        guard !state.isAlive, !state.pipes.contains(where: { $0 != nil }), let token = state.token.take()
        else { return }
        monitor.remove(token)
    }
}
