internal import OpScript

/// Passes the results to an output handler in Lua, which a project has for busted, as they come.
package struct HandlerReporter: ScenarioReporter {
    private let session: HandlerSession
    private let write: @Sendable ([UInt8]) -> Void

    /// Makes a reporter, and loads the handler.
    ///
    /// - Parameters:
    ///   - handler: A Lua file, or the name of a module.
    ///   - arguments: The arguments in the options of the handler.
    ///   - runner: How its engine is set up.
    ///   - write: Receives the output of the handler and of the scenarios.
    ///   - complain: Receives a sentence if the handler cannot be used.
    package init(
        _ handler: String,
        _ arguments: [String],
        _ runner: ScenarioRunner,
        write: @escaping @Sendable ([UInt8]) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.write = write
        session = HandlerSession(handler, arguments, runner, write: write, complain: complain)
    }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        session.send(["kind": .text("file"), "name": .text(path)])
        for problem in listing.problems { self.problem(path, problem, output: listing.output) }
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        write(output)
        session.send(event([problem], [], "problem"))
    }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        write(result.output)
        var event = self.event(result.problems, result.leaks, "test")
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
        session.send(event)
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) {
        session.send(["kind": .text("end"), "seconds": .number(summary.seconds)])
        session.finish()
    }

    private func event(_ problems: [ScenarioProblem], _ leaks: [ScenarioLeak], _ kind: String) -> ScriptTable
    {
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
