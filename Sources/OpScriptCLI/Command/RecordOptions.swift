internal import ArgumentParser
internal import OpScriptRecord

/// The options that show a run: what it will do, does, and has done.
struct RecordOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Write what happened to a file; its ending says how: .html, .jsonl, .dot, .mmd, .svg, .pftrace. May be "
                + "repeated.",
            valueName: "file"
        )
    )
    var report: [String] = []

    @Flag(name: .long, help: "After the run, say where its time went, on standard error.")
    var profile = false

    @Flag(name: .long, help: "Show what the script adds up to its first wait, and start none of it.")
    var plan = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "How progress shows: auto, plain, none or json (default: auto).",
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
        if plan, profile { throw ValidationError("--plan runs nothing, so --profile has nothing to say.") }
    }

    /// What they ask for.
    var wishes: RecordWishes {
        RecordWishes(
            reports: report,
            showsProfile: profile,
            isPlan: plan,
            progress: progress.flatMap { ProgressMode(rawValue: $0) } ?? .auto
        )
    }
}

/// What is wanted of the record of a run.
struct RecordWishes: Equatable {
    /// Paths of the files to write.
    var reports: [String] = []
    var showsProfile = false
    var isPlan = false
    var progress = ProgressMode.auto

    /// Whether the run has to be recorded.
    var needsRecord: Bool { !reports.isEmpty || showsProfile || isPlan }
}

/// How progress shows.
enum ProgressMode: String {
    /// Lines in place on a terminal, else `plain`.
    case auto
    /// Failures at once, and a line every half a minute.
    case plain
    /// Nothing.
    case none
    /// Lines of JSON.
    case json
}
