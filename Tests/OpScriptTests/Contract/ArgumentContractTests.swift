import Foundation
import OpScriptWorks
import Synchronization
import Testing

@testable import OpScript

/// Every argument, option and property takes what the contract says, and refuses everything else with an error that
/// names it.
@Suite struct ArgumentContractTests {
    /// The result of one try.
    private struct Outcome {
        let probe: String
        var code: String
        let message: String
    }

    @Test(.timeLimit(.minutes(10)))
    func `each argument takes what the contract says, and names itself in a refusal`() async throws {
        let trials = try ArgumentTrial.all()
        let outcomes = try await Self.runAll(trials)
        for trial in trials {
            let own = outcomes[trial.title] ?? []
            for probe in TrialValue.all {
                guard let outcome = own.first(where: { $0.probe == probe.name }) else {
                    Issue.record("\(trial.title) was not tried with \(probe.name)")
                    continue
                }
                if let problem = Self.problem(trial, probe, outcome) {
                    Issue.record("\(trial.title), given \(probe.name): \(problem)")
                }
            }
        }
    }

    /// Every entry of the contract is about something that exists.
    @Test func `the contract has no unused entry`() {
        var used: Set<String> = []
        for call in ScriptCall.all {
            for argument in call.arguments {
                let own = "\(call.path) \(argument.name)"
                used.insert(ScriptContract.arguments[own] == nil ? argument.name : own)
            }
        }
        #expect(Set(ScriptContract.arguments.keys).subtracting(used).isEmpty)
        used = []
        for type in ScriptType.all {
            for name in type.settableNames {
                let own = "\(type.name).\(name)"
                used.insert(ScriptContract.properties[own] == nil ? name : own)
            }
        }
        #expect(Set(ScriptContract.properties.keys).subtracting(used).isEmpty)
    }

    // MARK: Trying

    /// Trials whose calls affect later ones have an engine of their own; each call of `os.exit` has one.
    private static func runAll(_ trials: [ArgumentTrial]) async throws -> [String: [Outcome]] {
        var outcomes = try await run(trials.filter { $0.isolation == .none })
        outcomes.merge(try await run(trials.filter { $0.isolation == .together })) { first, _ in first }
        for trial in trials where trial.isolation == .each {
            for probe in TrialValue.all {
                let own = try await run([trial], probes: [probe])[trial.title]
                // A trial that ends the run prints no result.
                outcomes[trial.title, default: []] +=
                    own ?? [Outcome(probe: probe.name, code: "ok", message: "")]
            }
        }
        return outcomes
    }

    private static func run(
        _ trials: [ArgumentTrial],
        probes: [TrialValue] = TrialValue.all
    ) async throws -> [String: [Outcome]] {
        let lines = Mutex<[String]>([])
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.capabilities = .all
        configuration.libraries = .all
        configuration.standardOutput = { bytes in
            lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        configuration.standardError = { _ in }
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "arguments.lua")
        let probes = probes.map { "{ [==[\($0.name)]==], function() return \($0.lua) end }" }
        let script =
            try String(contentsOf: file, encoding: .utf8)
            + "probes = { \(probes.joined(separator: ",\n")) }\n"
            + trials.map(\.script).joined(separator: "\n")
        // It fails at its end: some of the values are bodies that fail.
        _ = try? await engine.run(script, named: "@arguments.lua")
        var outcomes: [String: [Outcome]] = [:]
        for line in lines.withLock({ $0 }).joined().split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4 else { continue }
            outcomes[parts[0], default: []]
                .append(Outcome(probe: parts[1], code: parts[2], message: parts[3]))
        }
        return outcomes
    }

    // MARK: Judging

    /// The fault of an outcome; nil if it is right.
    private static func problem(_ trial: ArgumentTrial, _ probe: TrialValue, _ outcome: Outcome) -> String? {
        if trial.isOption, case .nil = probe.value { return nil }
        var outcome = outcome
        // The errors of Lua's own `require` are strings.
        if trial.title.hasPrefix("require("), outcome.code == "a plain error" {
            outcome.code = outcome.message.contains("bad argument") ? "argument" : "failed"
        }
        let wasRefused = trial.kind.refusals.contains(outcome.code)
        if outcome.code == "a plain error" { return outcome.message }
        guard trial.kind.takes(probe.value) else {
            if !wasRefused { return "taken (\(outcome.code)), but not by the contract: \(outcome.message)" }
            return blame(trial, probe, outcome)
        }
        // The condition depends on more than the value.
        if wasRefused, trial.kind.condition == nil {
            return "refused, but not by the contract: \(outcome.message)"
        }
        return nil
    }

    /// The fault in the way a refusal names the argument.
    private static func blame(_ trial: ArgumentTrial, _ probe: TrialValue, _ outcome: Outcome) -> String? {
        if outcome.code != "argument" { return nil }
        var isTable = false
        switch probe.value {
        case .emptyTable, .table, .namesTable, .callableTable, .class: isTable = true
        default: break
        }
        switch trial.place {
        case .value(let name):
            return outcome.message.contains("bad value for '\(name)'") || isTable
                ? nil : "the error does not name it: \(outcome.message)"
        case .argument(let number, let function):
            if let match = outcome.message.firstMatch(of: /bad argument #(\d+) to '(\w+)' \((no value)?/) {
                let place = Int(match.1) ?? 0
                let isRight = place == number || place > number && match.3 != nil
                return isRight && match.2 == function ? nil : "the error blames another: \(outcome.message)"
            }
            let isOfOption =
                outcome.message.contains("bad value for") || outcome.message.contains("has no option")
                || outcome.message.contains("needs one of")
            return isTable && isOfOption ? nil : "the error names no argument: \(outcome.message)"
        }
    }
}

extension ScriptKind {
    /// The codes of the errors that refuse a value; `host` means that nothing has the name.
    fileprivate var refusals: [String] {
        let isName = forms.contains { if case .name = $0 { true } else { false } }
        return ["argument", "misuse"] + (isName ? ["host"] : [])
    }
}
