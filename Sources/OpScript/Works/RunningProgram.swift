internal import Synchronization

/// A program that the closure of an operation runs, as the script sees it: `op:lines()`, `op.pid`, `op:signal(name)`.
///
/// Called from any thread.
package protocol RunningProgram: AnyObject, Sendable {
    /// The number of its process; nil before its start and after its end.
    var processIdentifier: Int32? { get }

    /// The time and the memory that it took; nil before its end.
    var usage: ProgramUsage? { get }

    /// Sends a signal to its process group; false if it has ended or has not started.
    func send(_ signal: Int32) -> Bool

    /// Its end and its outputs, as an error, if a cancellation or a time limit has ended it; else nil.
    var stoppedError: ScriptError? { get }

    /// Its outputs so far, as an error that says that it runs; nil if it does not.
    var unfinishedError: ScriptError? { get }

    /// The script has seen the end of the operation. On the script thread.
    ///
    /// - Parameter isUsed: Whether the script has read the result, or the operation has not succeeded.
    func settled(isUsed: Bool)

    /// From now on, nothing of the script can use the result.
    func passOn()

    /// Looks for the next line of an output, and moves the place behind it.
    func nextLine(_ place: inout OutputPlace) -> OutputLine

    /// Calls `handler` once, as soon as there is a line behind the place, or the end of the output; on the calling
    /// thread if that is so already.
    func notify(_ place: OutputPlace, _ handler: @escaping @Sendable () -> Void)
}

/// The time and the memory that a program took that has ended, and its descendants for which it has waited; `op.usage`.
package struct ProgramUsage: Sendable, Equatable {
    /// Seconds from its start to its end.
    package var wall: Double
    /// Seconds of processors for its own code.
    package var user: Double
    /// Seconds of processors for the kernel on its behalf.
    package var system: Double
    /// The most memory that one of these processes had at once, in bytes.
    package var peakMemory: Int64

    package init(wall: Double, user: Double, system: Double, peakMemory: Int64) {
        self.wall = wall
        self.user = user
        self.system = system
        self.peakMemory = peakMemory
    }
}

/// A place in an output of a program.
package struct OutputPlace: Sendable {
    /// Whether it is standard error.
    package let isError: Bool
    /// The offset of the next line.
    package var offset = 0
    /// There is no end of a line between the offset and here.
    package var scanned = 0

    package init(isError: Bool) { self.isError = isError }

    /// The next line in these bytes of the output, to which nothing is added if they are complete.
    package mutating func nextLine(in bytes: [UInt8], isComplete: Bool) -> OutputLine {
        if let end = bytes[max(offset, scanned)...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(bytes[offset..<end])
            (offset, scanned) = (end + 1, end + 1)
            return .line(line)
        }
        scanned = bytes.count
        guard isComplete else { return .notYet }
        guard offset < bytes.count else { return .end }
        let line = Array(bytes[offset...])
        offset = bytes.count
        return .line(line)
    }
}

/// The line at a place in the output of a program.
package enum OutputLine: Sendable {
    /// The line, without its end.
    case line([UInt8])
    /// It has not been written yet.
    case notYet
    /// The output has ended.
    case end
    /// The output goes elsewhere.
    case notCaptured
}

/// The programs of all attempts of an operation, in order, for one reader of their lines.
final class ProgramFeed: Sendable {
    private struct State {
        var programs: [any RunningProgram] = []
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The oldest program that was not taken.
    var first: (any RunningProgram)? { state.withLock { $0.programs.first } }

    /// Drops the first program.
    func advance() { state.withLock { _ = $0.programs.removeFirst() } }

    /// Adds the program of an attempt that begins. From any thread.
    func add(_ program: any RunningProgram) {
        let handler = state.withLock { state in
            state.programs.append(program)
            return state.handler.take()
        }
        handler?()
    }

    /// Calls `handler` once, as soon as there are more programs than `count`; at once if there are. A later call
    /// replaces the handler.
    func notify(above count: Int, _ handler: @escaping @Sendable () -> Void) {
        let isThere = state.withLock { state in
            if state.programs.count > count { return true }
            state.handler = handler
            return false
        }
        if isThere { handler() }
    }

    /// Whether there is a program behind the first one.
    var hasNext: Bool { state.withLock { $0.programs.count > 1 } }
}

extension WorkContext {
    /// Lets the script see a program that the closure runs, in this attempt.
    package func runs(_ program: any RunningProgram) {
        for handler in setProgram(program) { handler(program) }
    }
}
