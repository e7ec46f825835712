internal import LuaVM
internal import Scheduling

/// Limits and their present use: `opscript.limits()`, and limits on numbers of things.
extension ScriptRuntime {
    /// Raises code `limit` if one more of something would be too many.
    func checkLimit(_ count: Int, _ limit: Int?, of what: String) throws(LuaRaise) {
        guard let limit, count >= max(0, limit) else { return }
        throw LuaRaise(.limit, "the script has more \(what) than its limit allows (\(limit))")
    }

    /// The run's use so far.
    var usage: ScriptUsage {
        var usage = ScriptUsage()
        usage.memory = memory
        // Bytes outside of Lua are not in its peak.
        usage.peakMemory = max(vm.peakMemory, usage.memory)
        usage.outputBytes = link.meter.outputBytes
        usage.operations = runState.counts.all
        return usage
    }

    private var memory: Int { vm.memoryInUse + link.meter.memoryOutside }

    /// Each limit with its name, its use and its value; nil for none.
    fileprivate var limits: [(name: StaticString, used: Double, limit: Double?)] {
        let settings = configuration
        let runtimeSeconds = Double(SchedulerClock.systemNow - runState.systemStartedAt) / 1e9
        func number(_ limit: Int?) -> Double? { limit.map { Double(max(0, $0)) } }
        return [
            ("memory", Double(memory), number(settings.memoryLimit)),
            ("run", runtimeSeconds, settings.runLimit.map { Double($0.nanoseconds) / 1e9 }),
            ("output", Double(link.meter.outputBytes), number(settings.outputLimit)),
            ("operations", Double(runState.pendingCount), number(settings.operationLimit)),
            ("timers", Double(timers.table.count), number(settings.timerLimit)),
            ("sources", Double(sources.table.count), number(settings.sourceLimit)),
            ("isolates", Double(link.meter.isolates.count), number(settings.isolateLimit)),
            ("threads", Double(threads.executing.count), number(settings.effectiveThreadLimit)),
            ("processes", Double(link.meter.processes.count), number(settings.processLimit)),
            ("files", Double(link.meter.files.count), number(settings.fileLimit)),
        ]
    }
}

/// `opscript.limits()`: for each limit by name, a table with `used` and, if there is a limit, `limit`.
func scriptLimits(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let limits = runtime(raw).limits
    state.newTable(fields: limits.count)
    for (name, used, limit) in limits {
        state.newTable(fields: 2)
        state.pushShortest(used)
        state.rawSet(-2, "used")
        if let limit {
            state.pushShortest(limit)
            state.rawSet(-2, "limit")
        }
        state.rawSet(-2, name)
    }
    return 1
}

extension LuaState {
    /// Pushes a number, as an integer if it is one. [-0, +1, -]
    fileprivate func pushShortest(_ number: Double) {
        if let whole = Int(exactly: number) { push(whole) } else { push(number) }
    }
}
