internal import OpScript

/// What came of one run of a file.
struct ScenarioRun {
    /// What the library told, in order.
    var events: [ScriptTable]
    /// What was printed.
    var output: [UInt8]
    /// Lines for people: warnings, later errors.
    var diagnoses: [String]
    /// How the run ended.
    var report: ScriptReport
    /// Seconds that it took.
    var duration: Double
    /// It did not end, and was left where it was.
    var isAbandoned = false
    /// Seconds that it was given.
    var timeLimit = 0.0

    func has(_ event: String) -> Bool { events.contains { $0.text("event") == event } }

    /// Why the library never told the end.
    func problem(outside thing: String) -> ScenarioProblem {
        if let error = report.error, error.code != .host { return ScenarioProblem(error) }
        if let code = report.exitRequest {
            return ScenarioProblem(.error, "\(thing) called os.exit(\(code)), which ends it before its end")
        }
        if let expired = events.first(where: { $0.text("event") == "expired" }) {
            return ScenarioProblem(
                .error,
                "\(expired.text("message") ?? "its time is over"), and catches each error that should end it",
                place: expired.text("place")
            )
        }
        if report.wasCancelled { return ScenarioProblem(.error, "\(thing) was cancelled") }
        return ScenarioProblem(
            .error,
            "\(thing) did not end within \(seconds(timeLimit)), and cannot be interrupted: a finalizer or a "
                + "native function that never ends"
        )
    }
}
