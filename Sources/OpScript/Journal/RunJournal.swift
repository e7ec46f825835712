/// The place where runs keep their results, so that a later run need not repeat their work.
///
/// The engine asks it before the body of an operation begins, and reports each end. `OpScriptJournal` has an
/// implementation: a file. Each journal serves one run; its calls come from any thread.
public protocol RunJournal: AnyObject, Sendable {
    /// The digest of bytes, for keys: always of the same length.
    func digest(_ bytes: [UInt8]) -> [UInt8]

    /// A run begins.
    func begin(_ script: String) throws(ScriptError)

    /// Decides whether a body runs.
    ///
    /// - Throws: The error with which the operation fails: code `unknown`, or `failed` if an input is missing.
    func decide(_ operation: JournaledOperation) throws(ScriptError) -> JournalDecision

    /// A body has ended for which the answer was to run it.
    ///
    /// - Parameters:
    ///   - operation: The operation, as it was decided on; its files are those of now.
    ///   - entry: The number that the decision gave.
    ///   - end: How it ended.
    /// - Throws: The error with which the operation fails.
    func ended(_ operation: JournaledOperation, _ entry: Int64, _ end: JournaledEnd) throws(ScriptError)

    /// Makes all ends so far survive the end of the process; called before the script sees them.
    func flush()

    /// The files that an earlier compilation found, by the dependency file that it wrote.
    func knownInputs(ofDepfile path: String) -> [String]

    /// The run has ended.
    ///
    /// - Parameters:
    ///   - outcome: Why, in a word.
    ///   - isGood: Whether the next run begins anew; otherwise it continues this one.
    func end(_ outcome: String, isGood: Bool) -> JournalReport

    /// Whether bodies do not run, because the run only explains which would, with a line about each operation.
    var onlyExplains: Bool { get }

    /// A name that this run has in common with the runs that it continues, and with no other; nil before ``begin(_:)``,
    /// or if there is none.
    var runName: String? { get }

    /// Keeps a line for ``JournalReport/explanations``.
    func explain(_ line: String)

    /// The only operation that is explained; nil for all.
    var explainedName: String? { get }

    /// The names that the user has given for this run, of operations that run whatever is recorded.
    var repeatedNames: [String] { get }

    /// By the name of an operation or of a work, the first entry that counts for it and for all that depend on it.
    /// Known after ``begin(_:)``.
    var firstEntries: [String: Int64] { get }

    /// Whether the report lists the files on which the run depended.
    var listsInputs: Bool { get }

    /// Whether a file has changed since the run began, and an operation that reads it has not seen it as it is, or no
    /// operation has read it. Asked when the run has ended, even after ``end(_:isGood:)``.
    func hasMissedChange(of path: String) -> Bool

    /// An output or a dependency file that is not as it was when its operation ended, or was found up to date; nil for
    /// none. Asked when the run has ended, even after ``end(_:isGood:)``, if it ``listsInputs``.
    func missedOutput() -> String?
}

extension RunJournal {
    /// No name.
    public var runName: String? { nil }
    /// No entry counts for ``repeatedNames``.
    public var firstEntries: [String: Int64] {
        Dictionary(repeatedNames.map { ($0, .max) }, uniquingKeysWith: max)
    }
    /// False.
    public var listsInputs: Bool { false }
    /// False.
    public func hasMissedChange(of path: String) -> Bool { false }
    /// None.
    public func missedOutput() -> String? { nil }
}

/// How an operation is treated when a run continues.
public enum RecordingMode: String, CaseIterable, Sendable {
    /// The result comes from the journal; an operation that was under way runs again.
    case result
    /// The operation runs each time, for it reads the world outside.
    case never
    /// The operation has an effect that must not be repeated silently.
    case once
}

/// An operation whose body is about to begin, as a journal sees it.
public struct JournaledOperation: Sendable {
    /// The name of its work, or `lua` for a body in Lua.
    public var work: String
    /// The name that the script gave it.
    public var name: String?
    /// The digest of everything that makes it the same operation in another run, apart from its number.
    public var key: [UInt8]
    /// The digest of its work, its name, its version, and its arguments as they were written: for an operation among
    /// them, the kind of that one.
    public var kind: [UInt8]
    /// Its number among the operations of its kind, in the order in which the script makes them; the first one is 1.
    public var number: Int64
    /// Whether all operations of its kind have its key: it has no body in Lua, and no operation among its arguments.
    public var kindHasOneKey: Bool
    /// The parts of the key that explanations show; they contain no secret.
    public var parts: [Part]
    /// How it is treated.
    public var recording: RecordingMode
    /// The files that it declares; nil for none.
    public var files: DeclaredFiles?
    /// The first entry that counts for it, if it, or an operation on which it depends, was named to run again;
    /// otherwise 0.
    public var firstEntry: Int64
    /// Why its result cannot be recorded; nil if it can.
    public var obstacle: String?
    /// Whether its body changes nothing, so that it may run where others are only explained.
    public var onlyReads: Bool
    /// Whether its body of an earlier run is still known to a cluster: it is awaited, and not repeated.
    public var isHeld = false

    /// Whether it can be up to date in any run: it has declared both kinds of files, and it is no effect.
    package var canBeUpToDate: Bool { recording != .once && files?.areComplete == true }

    /// A part of the key.
    public struct Part: Sendable {
        /// `arguments`, `name`, `version` or `code`.
        public var name: String
        /// Its text, or for short arguments the values themselves, whose text is made when it is shown.
        package var content: Content

        package enum Content: Sendable {
            case text(String)
            case values([UInt8])
        }

        package init(_ name: String, _ content: Content) {
            self.name = name
            self.content = content
        }

        /// Its text.
        public var text: String {
            switch content {
            case .text(let text): text
            case .values(let bytes): ScriptValue.array(ValueBytes.decode(bytes) ?? []).summary()
            }
        }
    }
}

/// The files that an operation declares.
public struct DeclaredFiles: Sendable, Equatable {
    /// The paths that it reads, patterns expanded; nil if the script has set none.
    public var inputs: [String]?
    /// The paths that it makes.
    public var outputs: [String]?
    /// The dependency file that its compiler writes.
    public var depfile: String?

    /// Whether an operation can be up to date: it has declared both.
    public var areComplete: Bool { inputs != nil && outputs != nil }

    /// - Throws: Code `failed` if an input is missing.
    package func check(of name: String) throws(ScriptError) {
        for path in inputs ?? [] where !FilePattern.exists(path) {
            throw ScriptError(
                .failed,
                "the input '\(path)' of '\(name)' is missing, and no operation on which it depends makes it"
            )
        }
    }

    /// Whether nothing is declared.
    var isEmpty: Bool { inputs == nil && outputs == nil && depfile == nil }
}

/// A journal's answer.
public enum JournalDecision: Sendable {
    /// The body does not run: these are its results, and the reason.
    case reuse([ScriptValue], String)
    /// The body runs; the number is passed back with its end.
    case run(Int64)
    /// The body would run, for this reason, but the run only explains. Recorded results stand in for its own, if there
    /// are any, so that the script continues.
    case explain(String, [ScriptValue]?)
}

/// The end of a body.
public enum JournaledEnd: Sendable {
    /// It succeeded.
    case succeeded([ScriptValue])
    /// It succeeded, but its result holds a value that is never written, or that cannot be.
    case succeededWithout(String)
    /// It failed, with the error's text.
    case failed(String)
    /// It was cancelled, or its time was over, so its effect is not known.
    case interrupted(String)
}

/// A journal's account of a run.
public struct JournalReport: Sendable {
    /// Whether the run has begun; otherwise the journal has refused it.
    public var hasBegun = false
    /// Operations that got a recorded result.
    public var recorded = 0
    /// Operations that were up to date.
    public var upToDate = 0
    /// Bodies that ran, however they ended, apart from those that run each time.
    public var ran = 0
    /// A sentence for each effect that is not known after the run and that no error of the run names.
    public var unknownEffects: [String] = []
    /// Entries of the run that no operation asked for.
    public var unasked = 0
    /// Sentences for the user about the beginning, such as which run is continued.
    public var notes: [String] = []
    /// Sentences for the user about the end, such as names that no operation had.
    public var remarks: [String] = []
    /// Why something could not be written; nil if everything was.
    public var problem: String?
    /// The lines of explanations.
    public var explanations: [String] = []
    /// The files on which the run depended and that it did not make: declared inputs, and those that dependency files
    /// named. Empty unless ``RunJournal/listsInputs``.
    public var inputs: [String] = []
    /// The patterns among the declared inputs. Empty unless ``RunJournal/listsInputs``.
    public var inputPatterns: [String] = []
    /// Finds an input, or one of other files that the run has read, whose last change the run has not seen. Nil unless
    /// ``RunJournal/listsInputs``.
    public var missedChange: @Sendable (_ others: [String]) -> String? = { _ in nil }
    /// The declared outputs. Empty unless ``RunJournal/listsInputs``.
    public var outputs: [String] = []

    /// An empty report.
    public init() {}
}
