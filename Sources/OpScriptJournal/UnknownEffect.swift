#if Journal
internal import OpScript

/// An effect that has begun and is not known to have ended.
struct UnknownEffect: Sendable {
    /// The number of its entry.
    let entry: Int64
    let name: String
    let begun: Int64
    let run: Int64
    /// Why it is not known.
    let state: String
    /// Whether its body was stopped in this process.
    var isOfThisPart = false

    /// Whether an operation has asked for it.
    var isAsked = true

    /// The sentence for the user.
    ///
    /// - Parameter isOnlyOne: Whether its name alone says which effect is meant.
    func text(isOnlyOne: Bool) -> String {
        let subject = isOnlyOne && !name.isEmpty && !name.hasPrefix("#") ? name : "#\(entry)"
        let answers = ["done", "again"].map { "--resume --resolve \(ShellWord.quoted("\(subject)=\($0)"))" }
        let asked = isAsked ? "" : "No operation of this run has asked for it. "
        return
            "the effect of '\(name)' is not known: it began at \(JournalTime.text(begun)) in run \(run), and \(state). "
            + "\(asked)It is not repeated; \(answers[0]) (done:JSON with its result) or \(answers[1]) says what holds"
    }
}
#endif
