import Testing

@testable import LuaVM

#if canImport(Glibc)
import Glibc
#endif

/// The hostile configuration of all suites: `OPSCRIPT_HOSTILE=1 swift test`.
let isHostile = getenv("OPSCRIPT_HOSTILE") != nil

/// A number of repetitions, smaller if each allocation collects everything.
func repeats(_ count: Int) -> Int { isHostile ? max(1, count / 50) : count }

/// A machine with a driver of roots that wait.
///
/// Scripts get `wait(...)`, which waits and returns its arguments; `waitAndFail(error)`, whose wait ends with that
/// error; and `note(text)`, which appends to `notes`.
final class TestHost {
    let vm: LuaVM
    var notes: [String] = []
    var failure: LuaReference?
    private var roots: [(root: LuaRoot, anchor: LuaReference)] = []

    init(_ configuration: LuaConfiguration = .full) {
        var configuration = configuration
        configuration.isHostile = isHostile
        vm = LuaVM(configuration)
        vm.host = Unmanaged.passUnretained(self).toOpaque()
        define("wait", waitFunction)
        define("waitAndFail", waitAndFailFunction)
        define("note", noteFunction)
    }

    var main: LuaState { vm.main }

    func define(_ name: String, _ function: LuaFunction) {
        main.push(function)
        main.setGlobal(name)
    }

    static func of(_ state: LuaState) -> TestHost {
        guard let host = state.host else { preconditionFailure("no host") }
        return Unmanaged<TestHost>.fromOpaque(host).takeUnretainedValue()
    }

    /// A root with a script in it.
    func root(_ script: String, name: String = "=job") throws -> LuaRoot {
        let root = LuaRoot.push(main)
        roots.append((root, vm.makeReference(main)))
        try vm.load(script, name: name, into: root.state)
        return root
    }

    /// Ends the wait of a root as `wait` and `waitAndFail` request.
    func goOn(_ root: LuaRoot) -> LuaRoot.Outcome {
        if let failure {
            self.failure = nil
            return root.fail { failure.push($0) }
        }
        root.state.push(true)
        return root.deliver(1)
    }

    /// Runs a script in a root of its own to its end; returns how many values it returned, on the root's
    /// stack.
    @discardableResult
    func run(_ script: String, name: String = "=job") throws -> LuaRoot {
        let root = try root(script, name: name)
        var outcome = root.start()
        while outcome == .waiting { outcome = goOn(root) }
        if outcome == .failed { throw LuaError(taking: root.state) }
        return root
    }

    /// The results of a script, described.
    func results(_ script: String, name: String = "=job") throws -> [String] {
        let root = try run(script, name: name)
        return try (0..<root.state.top).map { index throws(LuaError) in try root.state.describe(index + 1) }
    }

    /// The error of a script, which must fail.
    func failure(_ script: String, name: String = "=job") throws -> LuaError {
        do {
            try run(script, name: name)
        } catch let error as LuaError {
            return error
        }
        Issue.record("the script did not fail: \(script)")
        return LuaError(.runtime, "no failure")
    }
}

private func finishWait(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    if !state.boolean(base) {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    // The values of the function when it began to wait: arguments, continuation, and then the delivery.
    state.setTop(base - 2)
    return base - 2
}

private func waitFunction(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(continuation: finishWait)
    return LuaReply.waitThen
}

private func waitAndFailFunction(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard state.canWait else { return LuaReply.wait }
    let host = TestHost.of(state)
    state.pushValue(1)
    host.failure = host.vm.makeReference(state)
    return LuaReply.wait
}

private func noteFunction(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    TestHost.of(state).notes.append(state.string(1) ?? state.summary(1))
    return 0
}
