internal import Scheduling
internal import Synchronization

/// A runtime that takes one of ``ScriptThreads`` while it has something to do.
final class ThreadVisitor: ScriptRunner {
    /// How long the thread stays when there is nothing to do, in nanoseconds: so that short waits need no
    /// other thread.
    private static let patience: Int64 = 1_000_000
    /// How long a script runs before others that wait for a thread get a turn.
    private static let slice: Int64 = 4_000_000

    private let parts: RuntimeSettings
    private let threads: ScriptThreads
    private let machine = Mutex(VisitMachine())
    /// The state of a visit. Visits come one after the other, so no thread ever waits for this lock.
    private let place = Mutex(Place())

    private struct Place {
        var runtime: ScriptRuntime?
        /// Calls this visitor when something is due.
        var alarm: TimerHandle?
        /// Whether the runtime was closed.
        var isClosed = false
    }

    /// Why a visit ends.
    private enum Leaving {
        /// The reader's waker or the alarm calls.
        case toWait
        /// Others wait for the thread.
        case toGoOnLater
        /// There is something to do already.
        case notYet
    }

    init(_ parts: RuntimeSettings, _ threads: ScriptThreads) {
        self.parts = parts
        self.threads = threads
    }

    func start() { call() }

    func stop() { call() }

    func poll(budget: Int64) -> ScriptEngine.PollResult? { nil }

    private func call() {
        if machine.withLock({ $0.call() }) { askForThread() }
    }

    private func askForThread() {
        guard !threads.run({ self.visit() }) else { return }
        let isNew = place.withLock { $0.runtime == nil }
        if isNew {
            guard machine.withLock({ $0.refused() }) else { return }
            return parts.link.refuseAll(ScriptThread.noThread)
        }
        // The requests that the runtime has taken cannot be refused any more, only served.
        Task {
            try? await Task.sleep(for: ScriptThreads.refusalPause)
            self.askForThread()
        }
    }

    private func visit() {
        machine.withLock { $0.begin() }
        while true {
            switch place.withLock({ pump(&$0) }) {
            case .notYet: continue
            case .toWait:
                if machine.withLock({ $0.mayLeave() }) { return }
            case .toGoOnLater:
                machine.withLock { $0.leavesForLater() }
                return askForThread()
            }
        }
    }

    private func pump(_ place: inout Place) -> Leaving {
        if let alarm = place.alarm.take() { AlarmClock.shared.cancel(alarm) }
        if place.isClosed { return .toWait }
        if place.runtime == nil, parts.link.isStopped {
            place.isClosed = true
            parts.link.closed()
            return .toWait
        }
        let runtime = place.runtime ?? parts.makeRuntime(readerWaker: { [weak self] in self?.call() })
        place.runtime = runtime
        runtime.scheduler.readerBegins()
        let end = threads.count == nil ? nil : SchedulerClock.systemNow + Self.slice
        switch runtime.pump(until: end, patience: threads.isCrowded ? 0 : Self.patience) {
        case .stopped:
            place.runtime = nil
            place.isClosed = true
            runtime.scheduler.readerEnds()
            parts.close(runtime)
            return .toWait
        case .busy:
            runtime.scheduler.readerEnds()
            return threads.isCrowded ? .toGoOnLater : .notYet
        case .idle, .over:
            return stays(runtime) ? .notYet : leave(runtime, until: nil, &place)
        case .waiting(let moment): return leave(runtime, until: moment, &place)
        }
    }

    /// Waits for a moment, because a request often follows soon; returns whether there is something to do.
    private func stays(_ runtime: ScriptRuntime) -> Bool {
        guard !threads.isCrowded, SpareThreads.beginStay() else { return false }
        defer { SpareThreads.endStay() }
        return runtime.scheduler.parkReader(until: SchedulerClock.systemNow + Self.patience)
    }

    /// Arranges the next visit: when the reader is woken, or at `moment`.
    private func leave(_ runtime: ScriptRuntime, until moment: Int64?, _ place: inout Place) -> Leaving {
        runtime.scheduler.readerEnds()
        guard runtime.scheduler.awaitReader() else { return .notYet }
        guard let moment else { return .toWait }
        place.alarm = AlarmClock.shared.set(at: moment) { [weak self] in self?.call() }
        if place.alarm == nil {
            // The system refuses a thread for the alarm clock, so this thread waits.
            runtime.scheduler.parkReader(until: moment)
            return .notYet
        }
        return .toWait
    }
}
