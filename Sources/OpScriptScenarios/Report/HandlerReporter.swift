internal import OpScript

/// Tells an output handler in Lua, which a project has for busted, when all have ended.
package struct HandlerReporter: ScenarioReporter {
    private let runner: ScenarioRunner
    private let handler: String
    private let arguments: [String]
    private let write: @Sendable ([UInt8]) -> Void
    private let complain: @Sendable (String) -> Void
    private var events: [ScriptValue] = []

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - handler: A Lua file, or the name of a module.
    ///   - arguments: What the handler finds in its options.
    ///   - runner: How its engine is set up.
    ///   - write: Gets what it prints.
    ///   - complain: Gets why it cannot be used.
    package init(
        _ handler: String,
        _ arguments: [String],
        _ runner: ScenarioRunner,
        write: @escaping @Sendable ([UInt8]) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.handler = handler
        self.arguments = arguments
        self.runner = runner
        self.write = write
        self.complain = complain
    }

    /// A file was looked at.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        events.append(.table(["kind": .text("file"), "name": .text(path)]))
        for problem in listing.problems { self.problem(path, problem, output: listing.output) }
    }

    /// Something is wrong outside of scenarios.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        write(output)
        events.append(.table(told([problem], [], "problem")))
    }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        write(result.output)
        var event = told(result.problems, result.leaks, "test")
        event["names"] = .array(result.scenario.names.map { .text($0) })
        if let place = result.scenario.position { event["place"] = .text("\(place)") }
        event["seconds"] = .number(result.duration)
        switch result.outcome {
        case .passed: event["status"] = .text("success")
        case .pending(let reason):
            event["status"] = .text("pending")
            if let reason { event["message"] = .text(reason) }
        case .failed: event["status"] = .text(result.problems.first?.kind == .error ? "error" : "failure")
        }
        events.append(.table(event))
    }

    /// There is nothing more to come.
    package mutating func finished(_ summary: ScenarioSummary) {
        var order = runner.order("tell", ScenarioFile(path: handler, source: []), ScenarioSelection())
        order["handler"] = .text(handler)
        order["arguments"] = .array(arguments.map { .text($0) })
        order["events"] = .array(events)
        order["seconds"] = .number(summary.seconds)
        order["helper"] = nil
        let file = ScenarioFile(path: handler, source: [])
        let drive = ScenarioDrive(runner, file, order: order, clock: .system, chunks: Library.handlerChunks)
        let run = drive.performWaiting()
        write(run.output)
        for event in run.events where event.text("event") == "problem" {
            complain("the output handler '\(handler)' failed: \(event.text("message") ?? "")")
        }
        if let error = run.report.error {
            complain("the output handler '\(handler)' failed: \(error.message)")
        }
    }

    private func told(_ problems: [ScenarioProblem], _ leaks: [ScenarioLeak], _ kind: String) -> ScriptTable {
        var lines = problems.flatMap { ProblemText.plainLines($0) }
        if !leaks.isEmpty {
            lines.append("it left something behind:")
            lines += leaks.map { "  \($0.text)\($0.place.map { " (\($0))" } ?? "")" }
        }
        var event: ScriptTable = ["kind": .text(kind), "message": .text(lines.joined(separator: "\n"))]
        if let traceback = problems.first?.traceback { event["traceback"] = .text(traceback) }
        return event
    }
}
