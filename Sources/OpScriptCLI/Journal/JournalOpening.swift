internal import Glibc
internal import OpScript
#if Journal
internal import OpScriptJournal
#endif

/// The journal of one run of the command.
enum JournalOpening {
    /// Opens the journal that the options name.
    ///
    /// - Parameter note: Receives sentences such as which run is continued, on any thread.
    static func open(
        _ wishes: JournalWishes,
        script: String?,
        note: @escaping @Sendable (String) -> Void
    ) throws(ScriptError) -> any RunJournal {
        #if Journal
        var options = Journal.Options(resumes: wishes.path == nil ? !wishes.isFresh : wishes.resumes)
        if wishes.isFresh { options.resumes = false }
        options.again = wishes.again
        options.onlyExplains = wishes.explains
        options.explainedName = wishes.explainedName
        options.goesAnyway = wishes.goesAnyway
        options.listsInputs = wishes.watches
        options.onNote = note
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
        return try Journal(wishes.path(forScript: script), options)
        #else
        throw ScriptError(.host, "this command was built without the package trait 'Journal'")
        #endif
    }
}
