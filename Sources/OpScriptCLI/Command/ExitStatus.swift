internal import OpScript

/// The exit status of the command.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let timeLimit: Int32 = 124
    /// The reader of standard output has gone. A shell gives this status to programs that SIGPIPE ends.
    static let readerGone: Int32 = 141

    /// The status that a shell gives to a command that a signal ended.
    static func interrupted(by signal: Int32) -> Int32 { 128 + signal }

    /// The status of a run that has ended.
    ///
    /// The status that the script passed to `os.exit` counts first; then an interruption, the time limit, and
    /// the result of the run itself. Lost output makes a run fail that succeeded otherwise.
    static func of(_ report: ScriptReport, interruption: Int32?, lostOutput: Bool) -> Int32 {
        if let request = report.exitRequest { return request }
        if let interruption { return interruption }
        let status = report.exitCode
        // The command cancels a run whose output is lost.
        return lostOutput && (status == success || report.signal != nil) ? failure : status
    }
}
