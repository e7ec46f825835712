internal import ArgumentParser
internal import OpScriptRecord

/// The options that show a run before, during and after its execution.
struct RecordOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Write the record of the run to a file; its ending selects the format: .html, .jsonl, .dot, .mmd, "
                + ".svg, .pftrace. May be repeated.",
            valueName: "file"
        )
    )
    var report: [String] = []

    @Flag(name: .long, help: "After the run, print where its time went, on standard error.")
    var profile = false

    @Flag(name: .long, help: "Show the operations added up to the script's first wait, and start none.")
    var plan = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The form of progress: auto, plain, none or json (default: auto).",
            valueName: "mode"
        )
    )
    var progress: String?

    func validate() throws {
        for path in report where ReportFormat(path: path) == nil {
            throw ValidationError(
                "--report is '\(path)', but its ending must be one of \(ReportFormat.endings)."
            )
        }
        if let progress, ProgressMode(rawValue: progress) == nil {
            throw ValidationError("--progress is '\(progress)', but it must be auto, plain, none or json.")
        }
        if plan, profile { throw ValidationError("--plan runs nothing, so there is nothing to profile.") }
    }

    /// The requests of these options.
    var wishes: RecordWishes {
        RecordWishes(
            reports: report,
            showsProfile: profile,
            isPlan: plan,
            progress: progress.flatMap { ProgressMode(rawValue: $0) } ?? .auto
        )
    }
}

/// The requested outputs of the record of a run.
struct RecordWishes: Equatable {
    /// Paths of the files to write.
    var reports: [String] = []
    var showsProfile = false
    var isPlan = false
    var progress = ProgressMode.auto

    /// Whether the run has to be recorded.
    var needsRecord: Bool { !reports.isEmpty || showsProfile || isPlan }
}

/// The form in which progress is shown.
enum ProgressMode: String {
    /// Lines in place on a terminal, otherwise `plain`.
    case auto
    /// Failures at once, and a line every 30 seconds.
    case plain
    /// Nothing.
    case none
    /// Lines of JSON.
    case json
}
