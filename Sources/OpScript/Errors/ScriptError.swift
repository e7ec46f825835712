/// An error in a script or in an operation of a script.
public struct ScriptError: Error, Sendable {
    /// The kind of error, as scripts see it in the field `code`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that scripts see.
        public let name: String

        /// The body failed.
        public static let failed = Code(name: "failed")
        /// The operation's time ran out.
        public static let timeout = Code(name: "timeout")
        /// The operation, or its waiter, was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// A dependency prevented the operation from running.
        public static let skipped = Code(name: "skipped")
        /// The dependency would close a cycle.
        public static let cycle = Code(name: "cycle")
        /// The wait can never end.
        public static let deadlock = Code(name: "deadlock")
        /// The call does not fit the state of its object.
        public static let misuse = Code(name: "misuse")
        /// An argument is of the wrong type or out of range.
        public static let argument = Code(name: "argument")
        /// A limit was reached: one of the host, which ends the run, or one of a work.
        public static let limit = Code(name: "limit")
        /// Something of the host or the system is missing or refused.
        public static let host = Code(name: "host")
        /// Whether an effect has happened is not known, so it is not repeated.
        public static let unknown = Code(name: "unknown")
        /// The body has not run, because the run only explains which bodies would.
        package static let wouldRun = Code(name: "wouldRun")
        /// The source text cannot be compiled; ``ScriptError/line`` has the place. Only hosts see this code.
        public static let syntax = Code(name: "syntax")

        /// The code's name.
        public var description: String { name }
    }

    /// The kind of error.
    public var code: Code
    /// One sentence; names the thing, the place and the remedy.
    public var message: String
    /// The name of the operation that failed, if there is one.
    public var operationName: String?
    /// The place where it was raised, as Lua prints it; nil for errors that Swift raised.
    public var traceback: String?
    /// The place where the operation was created: `job.lua:7`.
    public var createdAt: String?
    /// The Swift error that this one reports, or a ``ScriptErrorObject`` with the value that the script
    /// raised, if that was not a text.
    public var underlying: (any Error)?
    /// Further fields of the error as scripts see it, such as `status` and `output` of a program that failed. A field
    /// hides a string method of that name, but none of the fields above.
    ///
    /// They are data of the script, in which secrets are not hidden.
    public var fields: [String: ScriptValue] = [:]
    /// The line where it was raised, or that cannot be compiled, from 1; nil if it has no place in a script.
    public var line: Int?
    /// The name of the script or module with that line, as Lua prints it; nil if it has no place in a script.
    public var file: String?
    /// The report of the run that threw this error, with its counts and the earlier failures. nil if the
    /// error does not come from ``ScriptEngine/run(code:named:arguments:)`` or one of its variants.
    public var report: ScriptReport? { enclosed?.report }

    /// Whether a limit of the engine was reached, which ends the run; that of a work is a failure of its operation.
    var endsRun = false

    // A report contains errors, so the struct cannot hold it directly.
    private var enclosed: EnclosedReport?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// A limit of the engine was reached.
    static func engineLimit(_ message: String) -> ScriptError {
        var error = ScriptError(.limit, message)
        error.endsRun = true
        return error
    }

    /// The same error, with the report of the run that threw it.
    func with(_ report: ScriptReport) -> ScriptError {
        var error = self
        error.enclosed = EnclosedReport(report)
        return error
    }
}

private final class EnclosedReport: Sendable {
    let report: ScriptReport

    init(_ report: ScriptReport) { self.report = report }
}

extension ScriptError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
