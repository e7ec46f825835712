internal import Glibc
internal import OpScript
#if Journal
internal import OpScriptJournal
#endif

/// The journal of one run of the command, which decides how the run ends.
struct JournalOpening {
    let journal: any RunJournal
    #if Journal
    private let file: Journal
    #endif

    /// Opens the journal that the options name.
    ///
    /// - Parameter note: Receives sentences such as which run is continued, on any thread.
    init(
        _ wishes: JournalWishes,
        script: String?,
        note: @escaping @Sendable (String) -> Void
    ) throws(ScriptError) {
        #if Journal
        var options = Journal.Options(resumes: wishes.path == nil ? !wishes.isFresh : wishes.resumes)
        if wishes.isFresh { options.resumes = false }
        options.again = wishes.again
        options.onlyExplains = wishes.explains
        options.explainedName = wishes.explainedName
        options.goesAnyway = wishes.goesAnyway
        options.listsInputs = wishes.watches
        options.onNote = note
        // A signal, the time limit or lost output can come after the last operation.
        options.isFinishedLater = true
        for resolution in wishes.resolutions {
            options.resolutions[resolution.name] = resolution.result.map { .done($0) } ?? .again
        }
        if wishes.path == nil, mkdir(wishes.folder, 0o777) != 0, errno != EEXIST {
            throw ScriptError(
                .host,
                "cannot make the folder '\(wishes.folder)' for the journal: \(String(cString: strerror(errno))); "
                    + "name another place with --journal FILE"
            )
        }
        file = try Journal(wishes.path(forScript: script), options)
        journal = file
        #else
        throw ScriptError(.host, "this command was built without the package trait 'Journal'")
        #endif
    }

    /// The process ends at once, and kills the programs that its works have started.
    static func processEnds() {
        #if Journal
        Journal.writeNothingMore()
        #endif
    }

    /// Writes the end of the run: it has ended well if the command has.
    ///
    /// - Parameters:
    ///   - code: The exit status of the command.
    ///   - interruption: The exit status of an interruption, if there was one.
    /// - Returns: Why it cannot be written; nil if it was.
    func finish(_ code: Int32, interruption: Int32?) -> String? {
        #if Journal
        return file.finish(
            isGood: code == ExitStatus.success,
            otherwise: interruption == nil ? "ended with the exit status \(code)" : "was cancelled"
        )
        #else
        return nil
        #endif
    }
}
