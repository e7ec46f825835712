internal import LuaVM
internal import Scheduling

/// Ticks on a fixed grid.
final class TimerSource: SourceKind {
    static let makers: [ScriptMethod] = [
        .init("timer", "{ deadline, repeating, leeway } [, queue]", makeTimerSource)
    ]

    private var grid: TimerGrid
    /// Set while it is armed.
    private var handle: TimerHandle?

    let typeName = "timer"
    let merge = SourceMachine.Merge.level
    let description = "timer source"

    init(_ grid: TimerGrid) { self.grid = grid }

    var isSureToHappen: Bool { grid.next < .max }

    func arm(_ source: EventSource, _ sources: EventSources) {
        // There is no next tick.
        if grid.next == .max { return sources.exhausted(source) }
        handle = sources.agenda.dueTimes.schedule(at: grid.next, .source(source))
    }

    func disarm(_ sources: EventSources) {
        if let handle = handle.take() { sources.agenda.dueTimes.cancel(handle) }
    }

    func becameDue() { handle = nil }

    func takeData(_ number: Int, _ source: EventSource, _ sources: EventSources) -> Bool {
        source.data = grid.takeTicks(sources.scheduler.clock.now)
        if grid.isOver { sources.exhausted(source) }
        return source.data > 0
    }
}

extension TimerSource {
    /// The ticks that `deadline`, `repeating` and `leeway` describe; `leeway` is checked but not used: ticks come when
    /// they are due, since delaying them gains nothing.
    fileprivate static func grid(_ options: OptionTable, _ runtime: ScriptRuntime) throws(LuaRaise)
        -> TimerGrid
    {
        let deadline = try options.number("deadline") ?? 0
        let repeating = try options.number("repeating")
        if let repeating, repeating <= 0 {
            throw LuaRaise(
                .argument,
                "bad value for 'repeating' (more than 0 seconds expected, got \(format(seconds: repeating)); "
                    + "leave it out for one tick)"
            )
        }
        _ = try options.number("leeway", atLeast: 0)
        return TimerGrid(
            now: runtime.scheduler.clock.now,
            delay: deadline == .infinity ? .max : SchedulerClock.nanoseconds(deadline),
            interval: repeating.map { $0 == .infinity ? 0 : max(1, SchedulerClock.nanoseconds($0)) } ?? 0
        )
    }

    /// Ticks on another grid from now on. Ticks that were not served yet are dropped.
    fileprivate func change(to grid: TimerGrid, _ source: EventSource, _ sources: EventSources) {
        disarm(sources)
        self.grid = grid
        sources.follow(source.machine.changed(), source)
    }
}

/// `DispatchSource.timer { deadline, repeating, leeway }`
private func makeTimerSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.isTable(1) else {
            throw LuaRaise(argument: 1, "table expected, got \(runtime.operations.kindName(state, 1))")
        }
        var queue = try runtime.sources.sourceQueue(state, 2)
        state.setTop(1)
        let options = OptionTable(runtime, state, 1, of: "DispatchSource.timer")
        let grid = try TimerSource.grid(options, runtime)
        if options.push("queue") {
            guard let given = runtime.sources.queue(state, -1) else {
                throw options.mismatch("queue", "queue")
            }
            queue = given
            state.pop()
        }
        try options.refuseOthers()
        runtime.sources.makeSource(TimerSource(grid), queue, state)
        return 1
    }
}

/// `source:setTimer { deadline, repeating, leeway }`: the ticks of a timer source from now on. No effect once it is
/// cancelled.
func sourceSetTimer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let source = try runtime.sources.requireSource(state, 1)
        guard let timer = source.kind as? TimerSource else {
            throw .misuse("the \(source.description) has no ticks to set; use a source made by 'timer'")
        }
        guard state.isTable(2) else {
            throw LuaRaise(argument: 2, "table expected, got \(runtime.operations.kindName(state, 2))")
        }
        state.setTop(2)
        let options = OptionTable(runtime, state, 2, of: "setTimer")
        let grid = try TimerSource.grid(options, runtime)
        try options.refuseOthers()
        timer.change(to: grid, source, runtime.sources)
        return 0
    }
}
