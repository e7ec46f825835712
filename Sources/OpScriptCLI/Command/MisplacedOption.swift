internal import OpScript

/// An option of the command that stands after the script, where only the script could read it.
enum MisplacedOption {
    /// The first such option, if the script did not read its arguments or refused this one; nil if there is none.
    static func find(
        in words: [String],
        of source: ScriptSource,
        after run: SingleRun.Status,
        names: () -> Set<String>
    ) -> String? {
        let options = words.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0.count > 1 }
        guard !options.isEmpty else { return nil }
        if let refused = run.refusedOption { return names().contains(refused) ? refused : nil }
        if run.readsArguments || ScriptOutline(source.texts).readsArguments { return nil }
        let known = names()
        return options.lazy.map { String($0.prefix { $0 != "=" }) }.first { known.contains($0) }
    }

    /// The hint for the user.
    static func hint(_ option: String) -> String {
        "'\(option)' stands after the script, so the script got it; for the command it stands before"
    }
}
