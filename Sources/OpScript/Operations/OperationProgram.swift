internal import LuaVM
internal import Scheduling

/// The lines of an output of an operation's program, one by one: the value that `op:lines()` returns.
///
/// An operation that is tried again continues with the lines of its next attempt.
final class OutputLines {
    let id: OperationID
    let name: String
    private let feed = ProgramFeed()
    /// The place in the output of the first program of the feed.
    private var place: OutputPlace
    /// The wait for the next line.
    fileprivate var wait: Wait?

    init(_ id: OperationID, _ name: String, _ body: WorkBody, isError: Bool) {
        self.id = id
        self.name = name
        place = OutputPlace(isError: isError)
        body.feedPrograms(feed)
    }

    /// The lines of an operation that had ended before.
    init(_ id: OperationID, _ name: String, output: [UInt8]) {
        self.id = id
        self.name = name
        place = OutputPlace(isError: false)
        feed.add(EndedProgram(output))
    }

    /// The operation has ended without a program, since its result was recorded: these are its lines.
    fileprivate func give(_ output: [UInt8]) {
        place = OutputPlace(isError: false)
        feed.add(EndedProgram(output))
    }

    /// Whether no program has run.
    fileprivate var isWithoutProgram: Bool { feed.first == nil }

    /// The field of the result that has the output.
    fileprivate var field: String { place.isError ? "errorOutput" : "output" }

    /// The next line that is there; `end` at the end of the last program so far.
    fileprivate func next() -> OutputLine {
        skipEndedPrograms()
        return feed.first?.nextLine(&place) ?? .notYet
    }

    /// Whether a line is there.
    fileprivate var isReady: Bool {
        skipEndedPrograms()
        var place = place
        switch feed.first?.nextLine(&place) {
        case .line, .notCaptured: return true
        case .notYet, .end, nil: return false
        }
    }

    /// Advances to the first program whose lines were not all read.
    private func skipEndedPrograms() {
        while feed.hasNext, let program = feed.first {
            var place = place
            guard case .end = program.nextLine(&place) else { return }
            feed.advance()
            self.place = OutputPlace(isError: place.isError)
        }
    }

    /// Calls `handler` once, as soon as it may be ready; not at the end of the operation.
    fileprivate func notify(_ handler: @escaping @Sendable () -> Void) {
        var current = place
        guard let program = feed.first else { return feed.notify(above: 0, handler) }
        if case .end = program.nextLine(&current) { return feed.notify(above: 1, handler) }
        program.notify(place, handler)
    }
}

/// A program whose output is known in full.
private final class EndedProgram: RunningProgram {
    private let output: [UInt8]

    init(_ output: [UInt8]) { self.output = output }

    var processIdentifier: Int32? { nil }

    var usage: ProgramUsage? { nil }

    func send(_ signal: Int32) -> Bool { false }

    var stoppedError: ScriptError? { nil }

    var unfinishedError: ScriptError? { nil }

    func settled(isUsed: Bool) {}

    func passOn() {}

    func nextLine(_ place: inout OutputPlace) -> OutputLine { place.nextLine(in: output, isComplete: true) }

    func notify(_ place: OutputPlace, _ handler: @escaping @Sendable () -> Void) { handler() }
}

enum OutputLinesBinding {
    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__call", nextOutputLine), ("__tostring", outputLinesToString)])
        return LuaMetatable(state, name: "lines", isBox: true)
    }
}

private func outputLinesToString(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push("lines of a program")
    return 1
}

extension Operations {
    /// The body of an operation that may run a program; nil after its end.
    fileprivate func programBody(_ view: OperationPointer, _ state: LuaState) throws(LuaRaise) -> WorkBody? {
        if let body = entry(view.pointee.id)?.pointee.body { return body }
        if view.pointee.isFinished, [.work, .simulated].contains(view.pointee.kind) { return nil }
        let name = name(state, 1, view)
        throw .misuse("'\(name)' runs no program: only operations of 'work.process' do")
    }

    /// An output of a program that has ended, from the result or the error of the operation at an index.
    fileprivate func finalOutput(
        _ view: OperationPointer,
        at index: Int32 = 1,
        _ field: String,
        _ state: LuaState
    ) -> [UInt8] {
        let top = state.top
        defer { state.setTop(top) }
        if view.pointee.flags.contains(.hasError) {
            pushError(of: view, at: index, state)
            guard case .string(let bytes) = runtime.errorValue(state, state.top)?.fields[field] else {
                return []
            }
            return bytes
        }
        guard runtime.waits.pushResults(view, state, index) > 0, state.isTable(top + 1) else { return [] }
        state.push(field)
        guard state.rawGet(top + 1) == .string else { return [] }
        return state.bytes(-1) ?? []
    }
}

/// `op:lines([stream])`
func operationLines(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        let body = try runtime.operations.programBody(view, state)
        let isError: Bool
        switch state.string(2) {
        case "output": isError = false
        case "error": isError = true
        case nil where state.isNoneOrNil(2): isError = false
        default:
            let got = state.string(2).map { "'\($0)'" } ?? runtime.operations.kindName(state, 2)
            throw LuaRaise(argument: 2, "\"output\" or \"error\" expected, got \(got)")
        }
        let id = view.pointee.id
        view.pointee.flags.insert(.isResultUsed)
        let name = runtime.operations.name(state, 1, view)
        let lines =
            if let body {
                OutputLines(id, name, body, isError: isError)
            } else {
                OutputLines(
                    id,
                    name,
                    output: runtime.operations.finalOutput(view, isError ? "errorOutput" : "output", state)
                )
            }
        state.pushBox(lines, runtime.metatables.outputLines, userValues: 1)
        state.pushValue(1)
        _ = state.setUserValue(-2, 1)
        return 1
    }
}

/// A call of the value that `op:lines()` returned; waits.
private func nextOutputLine(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let lines = state.box(1, runtime.metatables.outputLines, as: OutputLines.self) else {
            throw LuaRaise(argument: 1, "lines expected, got \(runtime.operations.kindName(state, 1))")
        }
        giveRecordedOutput(lines, runtime, state)
        switch lines.next() {
        case .line(let bytes):
            state.push(bytes: bytes)
            return 1
        case .notCaptured: throw notCaptured(lines)
        case .end, .notYet:
            guard let view = runtime.operations.liveView(lines.id), !view.pointee.flags.contains(.isSettled)
            else {
                state.pushNil()
                return 1
            }
        }
        let task = try runtime.waits.waitingTask(state)
        // As in the `await` family: an operation in no queue is added to the default one.
        state.setTop(1)
        _ = state.getUserValue(1, 1)
        try runtime.operations.submitForAwait(state, 2)
        guard state.canWait else { return LuaReply.wait }
        let wait = runtime.waits.beginWait(task, .operations([lines.id], any: false), state)
        lines.wait = wait
        let link = runtime.link
        let sleeper = LinesSleeper(lines)
        lines.notify { link.post { sleeper.wake($0) } }
        state.setTop(1)
        state.push(continuation: giveNextLine)
        return LuaReply.waitThen
    }
}

/// Gives the lines at index 1 the recorded output of their operation, if that has ended without its program.
private func giveRecordedOutput(_ lines: OutputLines, _ runtime: ScriptRuntime, _ state: LuaState) {
    guard lines.isWithoutProgram, let view = runtime.operations.liveView(lines.id), view.pointee.isFinished,
        view.pointee.reuse != .none
    else { return }
    _ = state.getUserValue(1, 1)
    lines.give(runtime.operations.finalOutput(view, at: state.top, lines.field, state))
    state.pop()
}

/// The wait for the next line, as other threads refer to it; used only on the script thread.
private struct LinesSleeper: @unchecked Sendable {
    // @unchecked because the reference is read only on the script thread, and weak references may be passed on.
    private weak var lines: OutputLines?

    init(_ lines: OutputLines) { self.lines = lines }

    /// Ends the wait if it is ready; a call may come late, when the next wait has begun.
    func wake(_ runtime: ScriptRuntime) {
        guard let lines, let wait = lines.wait else { return }
        if lines.isReady { return runtime.waits.end(wait, .reached) }
        lines.notify { [link = runtime.link] in link.post { wake($0) } }
    }
}

private func notCaptured(_ lines: OutputLines) -> LuaRaise {
    .misuse("the output of '\(lines.name)' is not captured: it has an option 'output'")
}

private func giveNextLine(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    let runtime = runtime(raw)
    let lines = state.box(1, runtime.metatables.outputLines, as: OutputLines.self)
    lines?.wait = nil
    if let lines { giveRecordedOutput(lines, runtime, state) }
    switch lines?.next() {
    case .line(let bytes): state.push(bytes: bytes)
    case .notCaptured:
        if let lines { return runtime.raise(notCaptured(lines), state) }
        state.pushNil()
    case .end, .notYet, nil: state.pushNil()
    }
    return 1
}

/// `op:signal(name)`
func operationSignal(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        let body = try runtime.operations.programBody(view, state)
        let number = try SignalName.requireNumber(state, 2, runtime)
        state.push(body?.program?.send(number) ?? false)
        return 1
    }
}

extension Operations {
    /// The key, among an operation's fields, of what its program took.
    private static let usageKey: StaticString = "\0usage"

    /// Keeps what the program of an operation that ends took, if it ran one.
    func keepUsage(of view: OperationPointer, _ entry: UnsafeMutablePointer<OperationEntry>) {
        guard let body = entry.pointee.body, body.mayRunPrograms, let usage = body.program?.usage else {
            return
        }
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        _ = state.ensureSpace(8)
        guard pushOperation(view.pointee.id, state) else { return }
        setField(Self.usageKey, of: top + 1, view, state) { state in
            state.newTable(fields: 4)
            for (name, value) in [("wall", usage.wall), ("user", usage.user), ("system", usage.system)] {
                state.push(value)
                state.rawSet(-2, name)
            }
            state.push(Int(usage.peakMemory))
            state.rawSet(-2, "peakMemory")
        }
    }

    /// Pushes a table with what the program of the operation at index 1 took, a copy; nil if it ran none, or has not
    /// ended. [-0, +1, m]
    func pushUsage(of view: OperationPointer, _ state: LuaState) {
        guard getField(Self.usageKey, of: 1, view, state) == .table else { return }
        let kept = state.top
        state.newTable(fields: 4)
        for name in ["wall", "user", "system", "peakMemory"] as [StaticString] {
            _ = state.rawGet(kept, name)
            state.rawSet(-2, name)
        }
        state.remove(kept)
    }
}
