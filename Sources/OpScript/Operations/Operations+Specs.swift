internal import LuaVM
internal import Scheduling

/// The facts about an operation that the scheduler receives when it is added.
extension Operations {
    /// The machine's specification of an operation.
    func spec(_ view: OperationPointer, _ state: LuaState, _ index: Int32) throws(LuaRaise) -> OperationSpec {
        var spec = OperationSpec()
        spec.reports = true
        spec.priority = view.pointee.priority
        spec.allowsFailure = view.pointee.flags.contains(.allowsFailure)
        spec.isGate = view.pointee.kind == .gate
        switch view.pointee.kind {
        case .main, .start, .sleep, .simulated, .gate: spec.lane = .reader
        case .group: spec.lane = .group
        case .work:
            if view.pointee.flags.contains(.isAsync) {
                spec.lane = .task
            } else {
                spec.lane = workerLane(quality(of: view), threadPriority(of: view, at: index, state))
            }
        }
        // A body on a cluster has its time limit there: the time in which it waits for a node does not count.
        let isRemote =
            view.pointee.kind == .work && entry(view.pointee.id)?.pointee.body?.remote != nil
            || entry(view.pointee.id)?.pointee.attachment?.placement != nil
        if !isRemote, let timeout = timeout(of: view, at: index, state) {
            spec.timeout = SchedulerClock.nanoseconds(timeout)
        }
        spec.retry = entry(view.pointee.id)?.pointee.retry?.policy
        return spec
    }

    /// The lane for a closure. Warns once if a priority above normal has no effect, since the process lacks the right.
    func workerLane(_ quality: OperationQualityOfService, _ threadPriority: Double) -> ExecutionLane {
        // The system is asked only if the answer matters.
        let mayBeRaised = threadPriority <= 0.5 || Privileges.mayRaisePriority
        if !mayBeRaised { warnAboutThreadPriority() }
        return ExecutionLane(
            qualityOfService: quality,
            threadPriority: threadPriority,
            mayBeRaised: mayBeRaised
        )
    }

    private func warnAboutThreadPriority() {
        guard !warnedAboutThreadPriority else { return }
        warnedAboutThreadPriority = true
        runtime.diagnose(
            "warning: a threadPriority above 0.5 needs the right to lower niceness; it counts as 0.5 here"
        )
    }

    /// The machine's specification of the addition of an operation to a queue.
    func addition(
        _ view: OperationPointer,
        _ state: LuaState,
        _ index: Int32,
        to queue: ScriptQueue,
        _ options: SubmissionOptions
    ) throws(LuaRaise) -> AdditionSpec {
        var addition = AdditionSpec(view.pointee.id)
        addition.isBarrier = options.isBarrier
        addition.delay = options.delay.map(SchedulerClock.nanoseconds)
        if view.pointee.flags.contains(.hasFields) {
            if getField("resources", of: index, view, state) != .nil {
                addition.resources = try needs(state, state.top)
            }
            state.pop()
        }
        if let rate = queue.rate {
            addition.resources += try runtime.queues.needs(of: rate, in: queue, state, index)
        }
        if queue.startsLongestFirst, !configuration.durations.isEmpty {
            addition.expectedDuration = expectedDuration(of: view)
        }
        return addition
    }

    /// Nanoseconds that the operation took in an earlier run; nil if that is not known.
    private func expectedDuration(of view: OperationPointer) -> Int64? {
        let work = view.pointee.work < 0 ? nil : runtime.works.definition(Int(view.pointee.work)).name
        return configuration.durations.nanoseconds(
            name: name(view),
            work: work,
            place: vm.describe(LuaPlace(source: view.pointee.source, line: view.pointee.line)) ?? ""
        )
    }
}
