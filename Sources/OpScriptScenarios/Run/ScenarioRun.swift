internal import OpScript

/// The result of one run of a file.
struct ScenarioRun {
    /// The messages of the library, in order.
    var events: [ScriptTable]
    /// The output.
    var output: [UInt8]
    /// Diagnoses: warnings and later errors.
    var diagnoses: [String]
    /// The end of the run.
    var report: ScriptReport
    /// Seconds that it took.
    var duration: Double
    /// It did not end, and was abandoned.
    var isAbandoned = false
    /// Its limit in seconds.
    var timeLimit = 0.0

    /// Defects of OpScript itself that it met.
    var defects: [ScenarioProblem] {
        report.defects.map { ScenarioProblem(.error, "defect of OpScript: \($0)") }
    }

    func has(_ event: String) -> Bool { events.contains { $0.text("event") == event } }

    /// The reason why the library never reported the end.
    func problem(outside thing: String) -> ScenarioProblem {
        if let error = report.error, error.code != .host { return ScenarioProblem(error) }
        if let code = report.exitRequest {
            return ScenarioProblem(.error, "\(thing) called os.exit(\(code)), which ends it too early")
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
