internal import Glibc
internal import CLinux
internal import Synchronization

/// Knows the process groups that works have started and of which something is left, so that none outlives this process.
///
/// Code that ends this process calls ``endAll()`` before, or ``killAll()`` if it must not wait. A guardian covers the
/// case that this process is killed: a small shell that ends the groups when this process is gone. Not covered then: a
/// process that was started in the very moment between its start and its entry here; one that has left its group (a
/// daemon); and the death of the guardian itself.
public final class ProcessRegistry: Sendable {
    /// The registry of all works in this process.
    public static let shared = ProcessRegistry()

    private struct State {
        /// With the time that each has between TERM and KILL.
        var groups: [pid_t: Duration] = [:]
        /// Once all were killed, a process that starts later is killed at once.
        var isClosed = false
        /// Created with the first process; contains nil if it could not be created.
        var guardian: Guardian??
        var adoptsOrphans = false
    }

    private let state = Mutex(State())

    /// Makes a registry with a guardian of its own.
    init() {}

    /// From now on, all children of this process belong to works. Call it before the first of them starts.
    ///
    /// A process whose parent ends becomes a child of this one, so that ``endAll()`` also ends those that lead a
    /// session of their own. And a program that stops because it wants the terminal fails with that reason; this takes
    /// the signal SIGCHLD.
    public func ownChildren() {
        state.withLock { $0.adoptsOrphans = linux_adopt_orphans() == 0 }
        ProcessMonitor.noticesStops.store(true, ordering: .releasing)
    }

    /// Whether a program has the terminal, since it inherits standard input.
    public var isTerminalLent: Bool { Foreground.shared.isHandedOver }

    /// Sets how a program that has the terminal, and inherits the outputs of this process, gets the terminal itself
    /// where these lead elsewhere.
    ///
    /// - Parameter screen: Prepares the screen, and returns the terminal behind a descriptor, or nil. On any thread.
    public func lendScreen(_ screen: (@Sendable (_ descriptor: CInt) -> CInt?)?) {
        Foreground.shared.setScreen(screen)
    }

    /// Kills every process group that is running, and from now on each one that starts.
    ///
    /// Returns at once. Not for signal handlers: it takes a lock.
    public func killAll() {
        Foreground.shared.takeBack(restoresModes: true)
        let adopts = state.withLock { state in
            state.isClosed = true
            for group in state.groups.keys { kill(-group, SIGKILL) }
            return state.adoptsOrphans && state.guardian != nil
        }
        guard adopts else { return }
        for process in strays() { kill(process, SIGKILL) }
    }

    /// Sends TERM to everything that works have started and that is still running, waits until it has ended, at most
    /// for the longest grace, and kills the rest.
    ///
    /// - Parameters:
    ///   - signals: A descriptor from which the numbers of signals can be read, each in a byte; -1 for none.
    ///   - isUrgent: Whether bytes from it mean that the rest is killed at once.
    public func endAll(signals: Int32 = -1, isUrgent: ([UInt8]) -> Bool = { _ in false }) {
        let grace = state.withLock { state -> Duration? in
            state.isClosed = true
            guard state.guardian != nil else { return nil }
            for group in state.groups.keys { kill(-group, SIGTERM) }
            return state.groups.values.max() ?? .zero
        }
        guard let grace else { return }
        let asked = strays()
        for process in asked { kill(process, SIGTERM) }
        let deadline = ContinuousClock.now + (asked.isEmpty ? grace : max(grace, .seconds(5)))
        while wait(until: deadline, signals) {
            if ContinuousClock.now >= deadline { return killAll() }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = signals < 0 ? 0 : max(0, read(signals, &bytes, bytes.count))
            if isUrgent(Array(bytes[..<count])) { return killAll() }
        }
    }

    /// Waits until one of the processes has ended, or until a descriptor can be read; false if no process is left.
    private func wait(until deadline: ContinuousClock.Instant, _ signals: Int32) -> Bool {
        let groups = state.withLock { Set($0.groups.keys) }
        if groups.isEmpty, !state.withLock({ $0.adoptsOrphans }) { return false }
        guard let all = LiveProcess.all() else { return false }
        let numbers = Set(all.filter { groups.contains($0.group) }.map(\.number)).union(strays(among: all))
        guard let number = numbers.first else { return false }
        let descriptor = linux_open_process(number)
        // It has ended meanwhile.
        if descriptor < 0 { return true }
        defer { close(descriptor) }
        var requests = [descriptor, signals].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let (seconds, attoseconds) = (deadline - .now).components
        poll(&requests, 2, CInt(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)))
        return true
    }

    /// Descendants of this process that have left the groups of works.
    private func strays(among all: [LiveProcess]? = nil) -> [pid_t] {
        // The guardian starts at any time: one that is listed has told its number.
        guard let all = all ?? LiveProcess.all() else { return [] }
        let (adopts, groups, guardian) = state.withLock { state in
            (state.adoptsOrphans, state.groups, state.guardian??.process)
        }
        guard adopts else { return [] }
        let own = getpgrp()
        return LiveProcess.descendants(of: getpid(), among: all)
            .filter { $0.group != own && groups[$0.group] == nil && $0.session != guardian }
            .map(\.number)
    }

    /// The process groups that works have started and that have not ended.
    var groups: [pid_t] { state.withLock { Array($0.groups.keys) } }

    func add(_ group: pid_t, grace: Duration = .seconds(5)) {
        state.withLock { state in
            if state.isClosed { kill(-group, SIGKILL) }
            state.groups[group] = grace
            let guardian = state.guardian ?? Guardian()
            guardian?.watch(group)
            state.guardian = .some(guardian)
        }
    }

    /// Nothing of the group is left.
    func remove(_ group: pid_t) {
        state.withLock { state in
            state.groups[group] = nil
            state.guardian??.forget(group)
        }
    }
}
