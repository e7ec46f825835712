internal import OpScript

/// The exit status of the command.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let timeLimit: Int32 = 124

    /// The status that a shell gives to a command that a signal ended.
    static func interrupted(by signal: Int32) -> Int32 { 128 + signal }

    /// The status of a run that has come to its end.
    ///
    /// What the script gave to `os.exit` counts before everything; then an interruption, the time limit, and what the
    /// run itself came to. Output that was lost is a failure of a run that else went well.
    static func of(_ report: ScriptReport, interruption: Int32?, lostOutput: Bool) -> Int32 {
        if let request = report.exitRequest { return request }
        if let interruption { return interruption }
        let status = report.exitCode
        return status == success && lostOutput ? failure : status
    }
}
