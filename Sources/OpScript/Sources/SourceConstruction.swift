internal import LuaVM
internal import Scheduling

extension EventSources {
    /// Makes a source and pushes it.
    fileprivate func makeSource(
        _ kind: ScriptSource.Kind,
        _ typeName: String,
        _ merge: SourceMachine.Merge,
        _ queue: ScriptQueue,
        _ state: LuaState
    ) -> ScriptSource {
        let source = ScriptSource(
            kind,
            typeName: typeName,
            merge: merge,
            number: table.takeNumber(),
            queue: queue
        )
        source.place = state.place(level: 1)
        pushSource(source, state)
        queues.pushQueue(queue, state)
        _ = state.setUserValue(-2, SourceValue.queue)
        return source
    }

    /// The queue at an index, the last argument of all that make sources; the main queue where there is none.
    fileprivate func sourceQueue(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptQueue {
        if state.isNoneOrNil(index) { return queues.mainQueue }
        if let queue = runtime.dispatch.anyDispatchQueue(state, index) { return queue }
        return try queues.requireQueue(state, index)
    }

    /// A list of names, or one name; what is not among `names` raises.
    fileprivate func flags(_ state: LuaState, _ index: Int32, _ names: [String]) throws(LuaRaise) -> [String]
    {
        func checked(_ position: Int32) throws(LuaRaise) -> String {
            guard let name = state.string(position) else {
                throw LuaRaise(
                    argument: index,
                    "names of events expected, got \(operations.kindName(state, position))"
                )
            }
            if names.contains(name) { return name }
            if let reason = foreignEvents[name], names == ["exit"] { throw LuaRaise(argument: index, reason) }
            throw LuaRaise(
                argument: index,
                "there is no event '\(name)'\(suggestion(for: name, among: names))"
            )
        }
        if state.type(index) == .string { return [try checked(index)] }
        guard state.isTable(index) else {
            throw LuaRaise(
                argument: index,
                "table of events expected, got \(operations.kindName(state, index))"
            )
        }
        var result: [String] = []
        for place in stride(from: 1, through: state.rawLength(index), by: 1) {
            _ = state.rawGet(index, place)
            result.append(try checked(state.top))
            state.pop()
        }
        guard !result.isEmpty else {
            throw LuaRaise(argument: index, "at least one event expected, got none")
        }
        return result
    }
}

/// Events of processes that Apple's systems have and Linux has not.
private let foreignEvents = [
    "fork":
        "Linux does not tell others of a fork, only of the exit; let the program say so itself, through a pipe or a file",
    "exec":
        "Linux does not tell others of an exec, only of the exit; let the program say so itself, through a pipe or a file",
    "signal":
        "Linux does not tell of signals of other processes, only of the exit; for one's own use DispatchSource.signal",
    "reap": "a process is reaped by who started it; use 'exit'",
]

// MARK: timer

/// `DispatchSource.timer { deadline, repeating, leeway }`
func makeTimerSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.isTable(1) else {
            throw LuaRaise(argument: 1, "table expected, got \(runtime.operations.kindName(state, 1))")
        }
        var queue = try runtime.sources.sourceQueue(state, 2)
        state.setTop(1)
        let options = OptionTable(runtime, state, 1, of: "DispatchSource.timer")
        let deadline = try options.number("deadline") ?? 0
        let repeating = try options.number("repeating")
        if let repeating, repeating <= 0 {
            throw LuaRaise(
                .argument,
                "bad value for 'repeating' (more than 0 seconds expected, got \(format(seconds: repeating)); leave it out for one tick)"
            )
        }
        // Ticks come when they are due; there is nothing to gain by letting them come later.
        _ = try options.number("leeway", atLeast: 0)
        if options.push("queue") {
            queue = try runtime.sources.sourceQueue(state, state.top)
            state.pop()
        }
        try options.refuseOthers()
        let source = runtime.sources.makeSource(.timer, "timer", .level, queue, state)
        let interval = repeating.map { $0 == .infinity ? 0 : max(1, SchedulerClock.nanoseconds($0)) } ?? 0
        source.grid = TimerGrid(
            now: runtime.scheduler.clock.now,
            delay: deadline == .infinity ? .max : SchedulerClock.nanoseconds(deadline),
            interval: interval
        )
        return 1
    }
}

// MARK: signal

/// `DispatchSource.signal("SIGUSR1")`
func makeSignalSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.require(.signals, for: "a source of signals")
        let number: Int32
        if let name = state.string(1) {
            guard let known = SignalName.number(of: name) else {
                let names = SignalName.numbers.map(\.name)
                throw LuaRaise(
                    argument: 1,
                    "there is no signal '\(name)'\(suggestion(for: name, among: names))"
                )
            }
            number = known
        } else if let value = state.wholeNumber(1) {
            guard (1...64).contains(value), value != 32, value != 33 else {
                throw LuaRaise(
                    argument: 1,
                    "number of a signal expected, from 1 to 31 or 34 to 64, got \(value)"
                )
            }
            number = Int32(value)
        } else {
            throw LuaRaise(
                argument: 1,
                "name or number of a signal expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        let name = SignalName.name(of: number)
        if name == "SIGKILL" || name == "SIGSTOP" {
            throw LuaRaise(
                argument: 1,
                "\(name) cannot be caught: the system acts on it by itself; use SIGTERM or SIGTSTP"
            )
        }
        if SignalName.faults.contains(number) {
            throw LuaRaise(
                argument: 1,
                "\(name) tells of a fault of the program itself and cannot be handled here"
            )
        }
        let queue = try runtime.sources.sourceQueue(state, 2)
        _ = runtime.sources.makeSource(.signal(number), "signal", .add, queue, state)
        return 1
    }
}

// MARK: read, write

func makeReadSource(_ raw: OpaquePointer) -> Int32 { makeDescriptorSource(raw, .read) }
func makeWriteSource(_ raw: OpaquePointer) -> Int32 { makeDescriptorSource(raw, .write) }

/// `DispatchSource.read(fd)`: a number, or a file of Lua's library.
private func makeDescriptorSource(_ raw: OpaquePointer, _ direction: DescriptorWatch.Direction) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let name = direction == .read ? "read" : "write"
        try runtime.require(.descriptors, for: "a source that may \(name)")
        let descriptor: Int32
        switch state.file(1) {
        case .closed?: throw LuaRaise(argument: 1, "open file expected, got a closed file")
        case .open(let number, _)?: descriptor = number
        case nil:
            guard let number = state.wholeNumber(1) else {
                throw LuaRaise(
                    argument: 1,
                    "descriptor or file expected, got \(runtime.operations.kindName(state, 1))"
                )
            }
            guard let small = Int32(exactly: number), small >= 0 else {
                throw LuaRaise(argument: 1, "descriptor of at least 0 expected, got \(number)")
            }
            descriptor = small
        }
        let queue = try runtime.sources.sourceQueue(state, 2)
        let watch: DescriptorWatch
        do throws(SystemFailure) {
            watch = try DescriptorWatch(descriptor, direction)
        } catch {
            throw LuaRaise(argument: 1, refusal(error, descriptor, name))
        }
        _ = runtime.sources.makeSource(.descriptor(watch), name, .level, queue, state)
        if state.type(1) == .userdata {
            state.pushValue(1)
            _ = state.setUserValue(-2, SourceValue.file)
        }
        return 1
    }
}

private func refusal(_ failure: SystemFailure, _ descriptor: Int32, _ name: String) -> String {
    switch failure {
    case .notOpen: "descriptor \(descriptor) is not open"
    case .wrongWay: "descriptor \(descriptor) is not open for \(name == "read" ? "reading" : "writing")"
    case .directory: "descriptor \(descriptor) is a directory; use DispatchSource.fileSystem"
    default: "descriptor \(descriptor): \(failure)"
    }
}

// MARK: fileSystem, process

/// `DispatchSource.fileSystem(path, { "write" })`
func makeFileSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.require(.files, for: "a source that watches files")
        guard let path = state.bytes(1) else {
            throw LuaRaise(argument: 1, "path expected, got \(runtime.operations.kindName(state, 1))")
        }
        let text = String(decoding: path, as: UTF8.self)
        guard !path.isEmpty, !path.contains(0) else {
            throw LuaRaise(argument: 1, "path expected, got '\(text)'")
        }
        let names = try runtime.sources.flags(state, 2, FileChange.names.map(\.name))
        let changes = FileChange.names.filter { names.contains($0.name) }
            .reduce(into: FileChange()) { $0.insert($1.change) }
        let queue = try runtime.sources.sourceQueue(state, 3)
        do throws(SystemFailure) {
            try SystemProbe.checkFile(path)
        } catch {
            throw LuaRaise(
                .host,
                "cannot watch '\(text)': \(error.isMissing ? "no such file" : error.description)"
            )
        }
        _ = runtime.sources.makeSource(.file(path: path, changes: changes), "fileSystem", .or, queue, state)
        return 1
    }
}

/// `DispatchSource.process(pid, { "exit" })`
func makeProcessSource(_ raw: OpaquePointer) -> Int32 {
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
            _ = try runtime.sources.flags(state, 2, ["exit"])
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
        _ = runtime.sources.makeSource(.process(process), "process", .or, queue, state)
        return 1
    }
}

// MARK: data of the script

func makeAddSource(_ raw: OpaquePointer) -> Int32 { makeDataSource(raw, "userDataAdd", .add) }
func makeOrSource(_ raw: OpaquePointer) -> Int32 { makeDataSource(raw, "userDataOr", .or) }
func makeReplaceSource(_ raw: OpaquePointer) -> Int32 { makeDataSource(raw, "userDataReplace", .replace) }

private func makeDataSource(_ raw: OpaquePointer, _ name: String, _ merge: SourceMachine.Merge) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.sources.sourceQueue(state, 1)
        _ = runtime.sources.makeSource(.data, name, merge, queue, state)
        return 1
    }
}
