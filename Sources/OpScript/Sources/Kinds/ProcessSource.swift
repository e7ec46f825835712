internal import LuaVM
internal import Scheduling

/// The end of a process.
final class ProcessSource: SourceKind {
    static let makers: [ScriptMethod] = [
        .init("process", "pid [, { \"exit\" } [, queue]]", makeProcessSource)
    ]

    private let number: Int32
    /// The exit status of the process, if it has ended and the status is known.
    private var exitStatus: Int?

    let typeName = "process"
    let merge = SourceMachine.Merge.or
    var subject: String? { "\(number)" }
    var description: String { "source of process \(number)" }

    init(_ number: Int32) { self.number = number }

    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token? {
        try monitor().add(process: number, handler)
    }

    func happened(_ event: EventMonitor.Event, _ source: EventSource, _ sources: EventSources) {
        guard case .exited(let status) = event else { return }
        exitStatus = status?.shellStatus
        sources.happened(source, 1)
        sources.exhausted(source)
    }

    func pushData(of source: EventSource, _ state: LuaState) {
        if source.data == 0 {
            state.push(flags: [])
        } else if let exitStatus {
            state.push(exitStatus)
        } else {
            state.push(flags: ["exit"])
        }
    }

    func pushMask(_ state: LuaState) { state.push(flags: ["exit"]) }

    func pushHandle(_ state: LuaState) { state.push(Int(number)) }
}

/// Process events that exist on Apple's systems but not on Linux.
private let foreignEvents = [
    "fork":
        "Linux reports only the exit of a process, not a fork; let the program report it through a pipe "
        + "or a file",
    "exec":
        "Linux reports only the exit of a process, not an exec; let the program report it through a pipe "
        + "or a file",
    "signal":
        "Linux reports only the exit of a process, not its signals; for signals of this process, use "
        + "DispatchSource.signal",
    "reap": "the process that started it reaps it; use 'exit'",
]

/// `DispatchSource.process(pid, { "exit" })`
private func makeProcessSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.require(.processes, for: "a source that waits for a process")
        guard let number = state.wholeNumber(1) else {
            throw LuaRaise(
                argument: 1,
                "number of a process expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        var queueIndex: Int32 = 3
        if runtime.queues.scriptQueue(state, 2) != nil || runtime.dispatch.anyDispatchQueue(state, 2) != nil {
            queueIndex = 2
        } else if !state.isNoneOrNil(2) {
            _ = try runtime.sources.flags(state, 2, ["exit"], foreignEvents)
        }
        let queue = try runtime.sources.sourceQueue(state, queueIndex)
        let process = Int32(exactly: number) ?? -1
        do throws(SystemFailure) {
            try SystemProbe.checkProcess(process)
        } catch {
            throw LuaRaise(
                .host,
                error.isNoProcess
                    ? "there is no process \(number)" : "cannot wait for process \(number): \(error)"
            )
        }
        runtime.sources.makeSource(ProcessSource(process), queue, state)
        return 1
    }
}
