/// How the output of an operation's program is shown while it runs or when it ends; `op.output`, `--output`.
package enum ProgramOutputMode: String, CaseIterable, Sendable {
    /// Standard error of a program that succeeds and whose result the script does not use, as one block; of the only
    /// program of a script that has ended, everything as it comes.
    case auto
    /// Everything as one block, when the program ends.
    case group
    /// Whole lines, each behind the operation's name.
    case prefix
    /// As it comes.
    case stream
    /// Nothing: only the error of an operation that fails shows it.
    case errors

    /// The modes that an operation can have for itself.
    package static let ofOperations: [ProgramOutputMode] = [.group, .prefix, .stream, .errors]
}

/// Shows what programs write whose output is captured. From any thread.
package protocol ProgramDisplay: Sendable {
    /// A program begins; nil if nothing of it is shown.
    ///
    /// - Parameters:
    ///   - name: The operation's name; nil if the script gave it none.
    ///   - commandLine: The program and its arguments, for people.
    ///   - mode: The operation's own mode; nil for the general one.
    func begins(_ name: String?, _ commandLine: String, _ mode: ProgramOutputMode?) -> (any ProgramView)?

    /// Whether what a program writes is shown with its colours, and the script asked for it to be shown.
    ///
    /// - Parameter mode: The operation's own mode; nil for the general one.
    func takesColours(_ mode: ProgramOutputMode?) -> Bool
}

/// Shows what one program writes. Its calls come one at a time, except `passOn`.
package protocol ProgramView: Sendable {
    func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool)
    func ended()

    /// The script has seen the end: observers, completion block and waiters have been called. On the script thread.
    ///
    /// - Parameter isUsed: Whether the script has read the result, or the operation has not succeeded.
    func settled(isUsed: Bool)

    /// Nothing of the script can use the result any more, so there is no reason to wait for the end. On the script
    /// thread, perhaps during another call.
    func passOn()
}

extension ProgramView {
    package func settled(isUsed: Bool) {}
    package func passOn() {}
}
