internal import OpScript

/// Something that is wrong in a scenario, or in a file outside of them.
package struct ScenarioProblem: Sendable, Equatable {
    /// Which sort it is.
    package enum Kind: String, Sendable {
        /// An assertion does not hold.
        case failure
        /// Something raised.
        case error
        /// Something was left behind.
        case leak
    }

    /// Which sort it is.
    package var kind: Kind
    /// What it was that went wrong, where it was not the body: `after_each`, `describe 'x'`.
    package var context = ""
    /// One sentence, or several lines.
    package var message: String
    /// The line, `job_spec.lua:12`, where one is known that ``message`` does not begin with.
    package var place: String?
    /// Where it was raised, as Lua prints it.
    package var traceback: String?
    /// What an assertion wanted.
    package var expected: String?
    /// What it got.
    package var actual: String?
    /// The code of an error of the engine's.
    package var code: String?

    /// Makes a problem.
    package init(_ kind: Kind, _ message: String, place: String? = nil) {
        self.kind = kind
        self.message = message
        self.place = place
    }

    /// Where it is, as far as that is known; `file` is the path of the file of scenarios.
    package func position(in file: String) -> SourcePosition? {
        if let place { return SourcePosition(place, in: file) }
        return SourcePosition(startOf: message, in: file)
    }

    /// Reads what the library tells of one.
    init(_ table: ScriptTable) {
        kind = table.text("kind") == "failure" ? .failure : .error
        context = table.text("where") ?? ""
        message = table.text("message") ?? "it failed"
        place = table.text("place")
        traceback = table.text("traceback")
        expected = table.text("expected")
        actual = table.text("actual")
        code = table.text("code")
        guard table.text("kind") == "leak" else { return }
        kind = .leak
        for leak in table.tables("leaks") {
            message += "\n  \(leak.text("text") ?? "")\(leak.text("place").map { " (\($0))" } ?? "")"
        }
    }

    /// A traceback without the frames of the library; nil where nothing is left.
    private static func ownFrames(_ traceback: String) -> String? {
        var lines = traceback.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("\t[opscript") }) else { return traceback }
        lines.removeSubrange(first...)
        // What the library calls scripts by.
        while let last = lines.last, last.hasPrefix("\t[C]") { lines.removeLast() }
        return lines.count > 1 ? lines.joined(separator: "\n") : nil
    }

    /// The error that ended a run.
    init(_ error: ScriptError) {
        kind = .error
        message = error.message
        traceback = error.traceback.flatMap(Self.ownFrames)
        code = error.code.name
        if let name = error.operationName, let place = error.createdAt {
            message += "\nin operation '\(name)' (\(place))"
        }
    }
}

/// Something that a scenario left behind.
package struct ScenarioLeak: Sendable, Equatable {
    /// `operation`, `timer`, `queue`, `source`, `thread` or `callback`.
    package var kind: String
    /// What it is and how it stands.
    package var text: String
    /// Where it was made.
    package var place: String?

    init(_ table: ScriptTable) {
        kind = table.text("kind") ?? "operation"
        text = table.text("text") ?? ""
        place = table.text("place")
    }
}
