internal import OpScript

/// A problem in a scenario, or in a file outside scenarios.
package struct ScenarioProblem: Sendable, Equatable {
    /// The kind of problem.
    package enum Kind: String, Sendable {
        /// An assertion does not hold.
        case failure
        /// An error was raised.
        case error
        /// An object was left behind.
        case leak
    }

    /// The kind of the problem.
    package var kind: Kind
    /// The code in which the problem occurred, if it was not the body: `after_each`, `describe 'x'`.
    package var context = ""
    /// One sentence, or several lines.
    package var message: String
    /// The line, `job_spec.lua:12`, if it is known and ``message`` does not begin with it.
    package var place: String?
    /// The place where it was raised, as Lua prints it.
    package var traceback: String?
    /// The expected value of an assertion.
    package var expected: String?
    /// The actual value.
    package var actual: String?
    /// The code of an error of the engine.
    package var code: String?
    /// Whether it was found in code that is executed before each file: then no file can run.
    package var preventsAllFiles = false

    /// Makes a problem.
    package init(_ kind: Kind, _ message: String, place: String? = nil) {
        self.kind = kind
        self.message = message
        self.place = place
    }

    /// Its place, as far as that is known; `file` is the path of the file of scenarios.
    package func position(in file: String) -> SourcePosition? {
        if let place { return SourcePosition(place, in: file) }
        return SourcePosition(startOf: message, in: file)
    }

    /// Whether both are the same, apart from the calls that led there: a hook that the end of a run shields has others.
    func isSame(as other: ScenarioProblem) -> Bool {
        var copy = other
        (copy.place, copy.traceback) = (place, traceback)
        return self == copy
    }

    /// Reads the library's message about a problem.
    init(_ table: ScriptTable) {
        kind = table.text("kind") == "failure" ? .failure : .error
        context = table.text("where") ?? ""
        message = table.text("message") ?? "it failed"
        place = table.text("place")
        traceback = table.text("traceback")
        expected = table.text("expected")
        actual = table.text("actual")
        code = table.text("code")
        preventsAllFiles = table.flag("preventsAllFiles")
        guard table.text("kind") == "leak" else { return }
        kind = .leak
        for leak in table.tables("leaks") {
            message += "\n  \(leak.text("text") ?? "")\(leak.text("place").map { " (\($0))" } ?? "")"
        }
    }

    /// A traceback without the frames of the library; nil if nothing is left.
    private static func ownFrames(_ traceback: String) -> String? {
        var lines = traceback.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("\t[opscript") }) else { return traceback }
        lines.removeSubrange(first...)
        // The name with which the library loads scripts.
        while let last = lines.last, last.hasPrefix("\t[C]") { lines.removeLast() }
        return lines.count > 1 ? lines.joined(separator: "\n") : nil
    }

    /// The error that ended a run.
    ///
    /// - Parameter assertions: The library's messages about the failed assertions, one of which the error may be.
    init(_ error: ScriptError, among assertions: [ScriptTable] = []) {
        if let failed = assertions.first(where: { $0.text("text") == error.message }) {
            self.init(failed)
        } else {
            self.init(.error, error.message)
            code = error.code.name
        }
        traceback = error.traceback.flatMap(Self.ownFrames)
        if let name = error.operationName, let place = error.createdAt {
            message += "\nin operation '\(name)' (\(place))"
        }
    }
}

/// An object that a scenario left behind.
package struct ScenarioLeak: Sendable, Equatable {
    /// `operation`, `timer`, `queue`, `source`, `thread` or `callback`.
    package var kind: String
    /// Its description and its state.
    package var text: String
    /// The place where it was created.
    package var place: String?

    init(_ table: ScriptTable) {
        kind = table.text("kind") ?? "operation"
        text = table.text("text") ?? ""
        place = table.text("place")
    }
}
