internal import ArgumentParser
internal import OpScript
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

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "How the output of programs is shown: auto (standard error of those whose result is not used; "
                + "default), group (as one block, at the end), prefix (whole lines behind "
                + "the name), stream (as it comes) or errors (only that of failed operations).",
            valueName: "mode"
        )
    )
    var output: String?

    @Option(
        name: .long,
        defaultAsFlag: "127.0.0.1",
        parsing: .next,
        help: ArgumentHelp(
            "Serve a live page of the run, on this machine only unless an IP address says otherwise; the address "
                + "is printed.",
            valueName: "[address:]port"
        )
    )
    var dashboard: String?

    @Flag(name: .long, help: "Keep the live page after the run, until Ctrl-C.")
    var dashboardKeep = false

    func validate() throws {
        for path in report where ReportFormat(path: path) == nil {
            throw ValidationError(
                "--report is '\(path)', but its ending must be one of \(ReportFormat.endings)."
            )
        }
        if let output, ProgramOutputMode(rawValue: output) == nil {
            throw ValidationError(
                "--output is '\(output)', but it must be auto, group, prefix, stream or errors."
            )
        }
        if let progress, ProgressMode(rawValue: progress) == nil {
            throw ValidationError("--progress is '\(progress)', but it must be auto, plain, none or json.")
        }
        if let dashboard {
            #if !Dashboard
            throw ValidationError(
                "--dashboard needs the package trait 'Dashboard', and this command was built without it: "
                    + "swift build --traits SharedLua,HTTP,Dashboard."
            )
            #endif
            if let problem = DashboardAddress.problem(of: dashboard) { throw ValidationError(problem) }
        }
        if dashboardKeep, dashboard == nil { throw ValidationError("--dashboard-keep needs --dashboard.") }
        if plan, dashboard != nil {
            throw ValidationError("--plan runs nothing, so --dashboard has nothing to show.")
        }
        if plan, profile { throw ValidationError("--plan runs nothing, so there is nothing to profile.") }
    }

    /// The requests of these options.
    var wishes: RecordWishes {
        RecordWishes(
            reports: report,
            showsProfile: profile,
            isPlan: plan,
            dashboard: dashboard.flatMap { DashboardAddress($0) },
            keepsDashboard: dashboardKeep,
            progress: progress.flatMap { ProgressMode(rawValue: $0) } ?? .auto,
            output: output.flatMap { ProgramOutputMode(rawValue: $0) } ?? .auto
        )
    }
}

/// The requested outputs of the record of a run.
struct RecordWishes: Equatable {
    /// Paths of the files to write.
    var reports: [String] = []
    var showsProfile = false
    var isPlan = false
    /// Where a live page is served; nil for no page.
    var dashboard: DashboardAddress?
    /// Whether the page stays after the run.
    var keepsDashboard = false
    var progress = ProgressMode.auto
    /// How the output of programs is shown.
    var output = ProgramOutputMode.auto

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
