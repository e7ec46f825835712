internal import LuaVM
internal import Scheduling

/// Signals that the process receives.
final class SignalSource: SourceKind {
    static let makers: [ScriptMethod] = [.init("signal", "name [, queue]", makeSignalSource)]

    private let number: Int32

    let typeName = "signal"
    let merge = SourceMachine.Merge.add
    var subject: String? { SignalName.name(of: number) }
    var description: String { "signal source of \(SignalName.name(of: number))" }

    init(_ number: Int32) { self.number = number }

    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token? {
        try monitor().add(signal: number, handler)
    }

    func happened(_ event: EventMonitor.Event, _ source: EventSource, _ sources: EventSources) {
        if case .signals(let count) = event { sources.happened(source, count) }
    }

    func pushHandle(_ state: LuaState) { state.push(Int(number)) }
}

/// `DispatchSource.signal("SIGUSR1")`
private func makeSignalSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.require(.signals, for: "a source of signals")
        let number = try SignalName.requireNumber(state, 1, runtime)
        let name = SignalName.name(of: number)
        if name == "SIGKILL" || name == "SIGSTOP" {
            throw LuaRaise(
                argument: 1,
                "\(name) cannot be caught: the system handles it; use SIGTERM or SIGTSTP"
            )
        }
        if SignalName.faults.contains(number) {
            throw LuaRaise(
                argument: 1,
                "\(name) reports a fault of the program itself and cannot be handled here"
            )
        }
        let queue = try runtime.sources.sourceQueue(state, 2)
        runtime.sources.makeSource(SignalSource(number), queue, state)
        return 1
    }
}

extension SignalName {
    /// The number of a signal that an argument names, or is.
    static func requireNumber(_ state: LuaState, _ index: Int32, _ runtime: ScriptRuntime) throws(LuaRaise)
        -> Int32
    {
        if let name = state.string(index) {
            if let known = number(of: name) { return known }
            let names = numbers.map(\.name)
            throw LuaRaise(
                argument: index,
                "there is no signal '\(name)'\(suggestion(for: name, among: names))"
            )
        }
        if let value = state.wholeNumber(index) {
            guard (1...64).contains(value), value != 32, value != 33 else {
                throw LuaRaise(
                    argument: index,
                    "number of a signal expected, from 1 to 31 or 34 to 64, got \(value)"
                )
            }
            return Int32(value)
        }
        throw LuaRaise(
            argument: index,
            "name or number of a signal expected, got \(runtime.operations.kindName(state, index))"
        )
    }
}
