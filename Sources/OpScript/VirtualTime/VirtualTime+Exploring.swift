internal import LuaVM
internal import Scheduling

extension VirtualTime {
    /// The loop of virtual time: like that of the system's clock, but its steps are counted and may be choices.
    func runSimulatedLoop(_ simulation: Simulation) -> ScriptPause {
        while !runState.isOver {
            if runtime.bodies.pausedTask != nil { return .busy }
            runtime.loop.takeIn()
            if runState.isStopping { return .stopped }
            if let choices = simulation.choices {
                if choices.misfit != nil { endMisfit(choices) }
                if deliverOneDue(choices, simulation) { continue }
            }
            if let turn = nextTurn(simulation) {
                simulation.stepCount += 1
                if simulation.stepCount >= simulation.nextLandmark { passLandmark(turn, simulation) }
                runtime.loop.perform(turn)
                if agenda.budgetEnd != .max, SchedulerClock.systemNow >= agenda.budgetEnd { return .busy }
                continue
            }
            if agenda.nextEvent < agenda.events.count || scheduler.hasEvents || link.hasPosts { continue }
            runtime.operations.releaseIDs()
            if let pause = runtime.loop.waitForMore() { return pause }
        }
        return .over
    }

    // MARK: Choices

    /// Performs one of the entries that are due now; false if none is due or a turn comes first.
    ///
    /// Timers keep their order; a wait for no time at all comes after all entries that were due before it.
    private func deliverOneDue(_ choices: ChoiceSource, _ simulation: Simulation) -> Bool {
        let now = scheduler.clock.now
        let due =
            agenda.dueTimes.nextDeadline.map { $0 <= now } ?? false ? agenda.dueTimes.entries(dueBy: now) : []
        var candidates: [Int?] = []
        var actors: [UInt64] = []
        if let deadline = scheduler.nextDeadline, deadline <= now {
            // Time limits and delays of operations.
            candidates.append(nil)
            actors.append(Self.schedulerActor)
        }
        if due.isEmpty, candidates.isEmpty { return false }
        var hasTimer = false
        var hasWait = false
        for (place, entry) in due.enumerated() {
            let isAtOnce = entry.sequence >= simulation.firstAtThisMoment
            switch entry.payload {
            case .wait:
                if isAtOnce, hasWait || hasTimer { continue }
                hasWait = true
            case .timer, .source, .progress, .stubborn:
                if hasTimer || isAtOnce && hasWait {
                    hasTimer = true
                    continue
                }
                hasTimer = true
            case .sleep, .begin, .body, .cluster: break
            }
            candidates.append(place)
            actors.append(actor(entry.payload))
        }
        if !agenda.turns.isEmpty { actors.append(Self.turnActor) }
        let pick = choices.choose(actors)
        guard pick < candidates.count else { return false }
        if let place = candidates[pick] {
            if let item = agenda.dueTimes.take(due[place].handle) { runtime.loop.happen(item, now) }
        } else {
            scheduler.advance(to: now)
        }
        return true
    }

    private static let turnActor: UInt64 = 1
    private static let timerActor: UInt64 = 2
    private static let schedulerActor: UInt64 = 3
    private static let clusterActor: UInt64 = 4

    /// The actor of an entry; each actor has a priority.
    private func actor(_ due: Due) -> UInt64 {
        switch due {
        case .wait(let wait):
            guard let id = wait.task.operation else { return 1 << 40 | wait.sequence }
            return 1 << 41 | UInt64(id.slot)
        case .sleep(let id), .begin(let id), .body(let id): return 1 << 41 | UInt64(id.slot)
        case .timer, .source, .progress, .stubborn: return Self.timerActor
        case .cluster: return Self.clusterActor
        }
    }

    /// The first turn; if several consecutive turns start something in queues, any one of them.
    private func nextTurn(_ simulation: Simulation) -> Turn? {
        guard let choices = simulation.choices else { return agenda.turns.popFirst() }
        let starts = agenda.turns.leadingStarts
        guard starts.count > 1 else { return agenda.turns.popFirst() }
        return agenda.turns.remove(
            at: starts[choices.choose(starts.map { 1 << 42 | UInt64($0.queue.index) })].place
        )
    }

    /// Real bodies have begun: if several execute at once, which one ends first is not a choice.
    func warnOfRealBodies(_ choices: ChoiceSource) {
        guard !choices.hasWarnings else { return }
        runtime.loop.applyFetchedEvents()
        runtime.loop.fetchEvents()
        var names: [String] = []
        var count = 0
        for place in 0..<agenda.events.count where agenda.events[place].kind == .started {
            count += 1
            guard let id = runtime.operations.entries.identity(of: agenda.events[place]),
                let view = runtime.operations.liveView(id),
                !names.contains(runtime.operations.name(view))
            else { continue }
            names.append(runtime.operations.name(view))
        }
        // One of them may have ended already.
        if count < 2, scheduler.feed({ $0.closureExecutingCount }) < 2 { return }
        let list = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        let text =
            "warning: real works run at once (\(list)): which of them ends first is not explored, and a "
            + "schedule may not fit again; simulate them, or run one at a time"
        choices.warn(text)
        runtime.diagnose(text)
    }

    private func endMisfit(_ choices: ChoiceSource) {
        guard !runState.isCancelled, let misfit = choices.misfit else { return }
        runtime.loop.runFailed(ErrorValue(.misuse, "the schedule does not fit this run: \(misfit)"))
    }

    // MARK: Limits

    /// How many turns before a limit are recorded, to report what kept running.
    private static let watched = 1000
    /// How many turns clean-up may take after a limit.
    private static let grace = 10_000

    /// Performs the checks that are due at this step.
    private func passLandmark(_ turn: Turn, _ simulation: Simulation) {
        if let step = simulation.cancelStep, simulation.stepCount >= step {
            simulation.cancelStep = nil
            simulation.wasCancelledOnPurpose = true
            runState.report.wasCancelled = true
            runtime.loop.cancelRun()
        }
        guard let limit = simulation.control.stepLimit else { return }
        if simulation.stepCount > limit - Self.watched, simulation.stepCount <= limit {
            simulation.lastTurns[describeTurn(turn), default: 0] += 1
        }
        if simulation.stepCount == limit {
            let kept = simulation.lastTurns.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
            let text = kept.map { "\($0.key) (\($0.value) of the last \(min(limit, Self.watched)))" }
            endTime(
                "it took \(limit) steps and did not end; still running: " + text.joined(separator: ", ")
            )
        } else if simulation.stepCount > limit + Self.grace {
            runState.exitRequest = 4
        }
    }

    private func endTime(_ reason: String) {
        if runtime.run.driver != nil { return runtime.run.expireDriver(reason) }
        runtime.loop.runFailed(ErrorValue(.limit, reason))
    }

    private func describeTurn(_ turn: Turn) -> String {
        switch turn {
        case .startOperation(let queue):
            return "queue '\(runtime.queues.table[queue.index]?.name ?? "queue")'"
        case .nativeTicket(let id), .ended(let id), .stopAsynchronous(let id): return describeOperation(id)
        case .resume(let wait):
            if let id = wait.task.operation { return describeOperation(id) }
            return "the wait at \(vm.describe(runtime.waits.place(of: wait)) ?? "?")"
        case .goOn(let reference):
            let task = reference.takeUnretainedValue()
            if let id = task.operation { return describeOperation(id) }
            return "the wait at \(vm.describe(task.root.state.place(level: 1)) ?? "?")"
        case .fire(let id):
            return "the timer of \(runtime.timers.table[id].flatMap { vm.describe($0.pointee.place) } ?? "?")"
        case .source(let source): return source.description
        case .observed: return "observers"
        case .lateCompletion: return "a completion block"
        case .post, .host: return "the host"
        }
    }

    private func describeOperation(_ id: OperationID) -> String {
        runtime.operations.liveView(id).map {
            "'\(runtime.operations.name($0))' (\(runtime.operations.createdAt($0)))"
        } ?? "an operation"
    }

    /// Ends the run if the virtual clock would exceed its limit; false if the run may continue.
    func endBefore(_ moment: Int64) -> Bool {
        guard let simulation, !runState.isCancelled, let limit = simulation.control.timeLimit else {
            return false
        }
        let end = runState.startedAt.addingReportingOverflow(SchedulerClock.nanoseconds(limit))
        guard !end.overflow, moment > end.partialValue else { return false }
        scheduler.advance(to: end.partialValue)
        let waiting = runtime.waits.list.all.prefix(3)
            .map { "the wait at \(vm.describe(runtime.waits.place(of: $0)) ?? "?")" }
        let armed = runtime.timers.table.all.filter(\.pointee.isScheduled).compactMap {
            vm.describe($0.pointee.place)
        }
        .sorted().prefix(
            3
        )
        .map { "the timer of \($0)" }
        let kept = (waiting + armed).joined(separator: ", ")
        endTime(
            "it did not end within \(format(seconds: limit)) s of virtual time"
                + (kept.isEmpty ? "" : "; still running: \(kept)")
        )
        return true
    }
}
