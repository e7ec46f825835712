internal import OpScript
internal import OpScriptScenarios
public import Testing

/// One `it` of a Lua file, as an argument of a Swift test.
///
/// ```swift
/// @Test(arguments: Scenario.all(in: "Scenarios"))
/// func scenario(_ scenario: Scenario) async {
///     await scenario.run()
/// }
/// ```
///
/// Each scenario of the folder is a case of that test, with failures of its own, which point into the Lua
/// file. A file that cannot be read or does not compile, and a folder without scenarios, are cases that fail.
public struct Scenario: Sendable {
    /// The result of a scenario.
    public enum Outcome: Sendable, Equatable {
        /// It passed.
        case passed
        /// It failed; the failure was recorded as an issue of the running test.
        case failed
        /// It is not written yet; with the reason, if it has one.
        case pending(String?)
    }

    /// The path of its file: absolute, unless the path of the folder could not be made absolute.
    public let file: String
    /// Its line in ``file``.
    public let line: Int
    /// The names of the groups that it is in and its own, with blanks between.
    public let name: String
    /// Its tags: the words after a `#` in its names.
    public let tags: [String]

    /// Its place among the scenarios of the file, from 1; together with the file and the name, it identifies
    /// a case.
    let index: Int
    let work: Work

    /// The code to run.
    enum Work: Sendable {
        case scenario(OpScriptScenarios.Scenario, ScenarioFile, ScenarioRunner)
        /// None: the file or the folder has a problem.
        case problem(String)
    }

    /// Runs it in an engine of its own, and records an issue in the running test for each failure.
    ///
    /// Its output is written to standard output when it has ended, and appears in the comment of the first
    /// issue. From any task; cancelling the task cancels the scenario.
    @discardableResult
    public func run() async -> Outcome { await run { _ in } }

    /// Runs it with another setting of its runner.
    func run(_ set: (inout ScenarioRunner) -> Void) async -> Outcome {
        switch work {
        case .problem(let message):
            record([message], at: SourcePosition(file: file, line: line))
            return .failed
        case .scenario(let scenario, let file, var runner):
            set(&runner)
            let result = await runner.run(scenario, in: file)
            return tell(result)
        }
    }

    /// Records why it is not run.
    func refuse(_ message: String) -> Outcome {
        record([message], at: SourcePosition(file: file, line: line))
        return .failed
    }

    private func tell(_ result: ScenarioResult) -> Outcome {
        let output = String(decoding: result.output, as: UTF8.self)
        if !output.isEmpty { print(output, terminator: output.hasSuffix("\n") ? "" : "\n") }
        for note in result.notes { print("\(file):\(line): note: \(note)") }
        var issues: [(lines: [String], position: SourcePosition)] = result.problems.map { problem in
            (
                ProblemText.plainLines(problem),
                problem.position(in: result.scenario.file) ?? SourcePosition(file: file, line: line)
            )
        }
        for leak in result.leaks {
            let position = leak.place.flatMap { SourcePosition($0, in: result.scenario.file) }
            issues.append(
                (
                    ["it left something behind: \(leak.text)"],
                    position ?? SourcePosition(file: file, line: line)
                )
            )
        }
        for (place, issue) in issues.enumerated() {
            var lines = issue.lines
            if place == 0, let interleaving = result.interleaving {
                lines.append(
                    "interleaving \(interleaving.iteration) of \(interleaving.plan.iterations); again: "
                        + "scenario.run(replaying: \"\(interleaving.replay)\")"
                )
            }
            if place == 0, !output.isEmpty { lines.append("it printed:\n\(output)") }
            record(lines, at: issue.position)
        }
        switch result.outcome {
        case .passed: return .passed
        case .failed: return .failed
        case .pending(let reason): return .pending(reason)
        }
    }

    private func record(_ lines: [String], at position: SourcePosition) {
        let name = position.file.split(separator: "/").last.map(String.init) ?? "scenario.lua"
        let folder = position.file.split(separator: "/").dropLast().last.map(String.init) ?? "Scenarios"
        Issue.record(
            Comment(rawValue: lines.joined(separator: "\n")),
            sourceLocation: SourceLocation(
                fileID: "\(folder)/\(name)",
                filePath: position.file,
                line: max(1, position.line),
                column: 1
            )
        )
    }
}

extension Scenario: Equatable, Hashable, Encodable, CustomTestStringConvertible, CustomStringConvertible {
    private enum Key: String, CodingKey { case file, name, index }

    /// Two values are equal if they are the same scenario of the same file, even with other settings.
    public static func == (left: Scenario, right: Scenario) -> Bool {
        left.file == right.file && left.index == right.index && left.name == right.name
    }

    /// By file, place and name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(index)
        hasher.combine(name)
    }

    /// The identity of a case, so that a single one can be run again.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(file, forKey: .file)
        try container.encode(name, forKey: .name)
        try container.encode(index, forKey: .index)
    }

    /// `job_spec.lua: a queue runs one after the other`.
    public var description: String {
        "\(file.split(separator: "/").last.map(String.init) ?? file): \(name)"
    }

    /// The same.
    public var testDescription: String { description }
}
