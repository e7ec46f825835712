internal import Glibc
internal import CLinux
package import OpScript

/// A process whose input is written, and whose outputs are read, while it runs.
///
/// It only owns the process and its descriptors; its owner waits for them, on one thread. The process has a group of
/// its own, which ends with this process.
package final class StreamedProcess {
    /// Becomes readable when the process has ended.
    package var process: Int32 { handle.number }
    /// Its standard output and standard error, which do not block.
    package var output: Int32 { outputEnd.number }
    package var errorOutput: Int32 { errorEnd.number }
    /// Its standard input, which does not block; -1 once it is closed.
    package var input: Int32 { inputEnd?.number ?? -1 }

    private let number: pid_t
    private let handle: SharedDescriptor
    private let outputEnd: SharedDescriptor
    private let errorEnd: SharedDescriptor
    private var inputEnd: SharedDescriptor?
    private var hasEnded = false

    /// Starts a program, which is looked up as a shell does.
    ///
    /// - Parameter environment: Variables that differ; nil removes one.
    /// - Throws: ``ScriptError`` if it cannot be started.
    package init(_ words: [String], environment: [String: String?] = [:]) throws(ScriptError) {
        let bytes = words.map { RawText.bytes(of: $0) }
        let program = try findProgram(bytes[0], searchPath: nil)
        do throws(SystemCallError) {
            var ends: (Int32, Int32) = (-1, -1)
            // A socket, since writing to a pipe that is not read any more would be a signal.
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try systemCall {
                withUnsafeMutableBytes(of: &ends) { ends in
                    socketpair(AF_UNIX, kind, 0, ends.bindMemory(to: Int32.self).baseAddress)
                }
            }
            let own = SharedDescriptor(owning: ends.0)
            let others = SharedDescriptor(owning: ends.1)
            let output = try Pipe()
            let errors = try Pipe()
            let descriptors = [try others.aboveStandard(), output.writing, errors.writing]
            inputEnd = try own.aboveStandard()
            outputEnd = output.reading
            errorEnd = errors.reading
            for end in [inputEnd, outputEnd, errorEnd] {
                if let end { _ = fcntl(end.number, F_SETFL, O_NONBLOCK) }
            }
            try requireSpareDescriptor()
            number = try ProcessStart(
                program: program,
                words: bytes,
                environment: ProcessEnvironment(changes: environment),
                descriptors: descriptors
            )()
            let process = linux_open_process(number)
            guard process >= 0 else { throw SystemCallError(code: errno) }
            handle = SharedDescriptor(owning: process)
        } catch {
            throw ScriptError(.host, "cannot run '\(words[0])': \(ScriptError.describe(error.code))")
        }
        ProcessRegistry.shared.add(number)
    }

    deinit {
        if !hasEnded { _ = kill(-number, SIGKILL) }
        _ = takeEnd()
    }

    /// The process reads the end of its input.
    package func closeInput() { inputEnd = nil }

    /// Writes some of the bytes to its input, and returns how many; nil if it does not read any more.
    package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        let end = input
        guard end >= 0 else { return nil }
        let count = bytes.withUnsafeBytes { Glibc.send(end, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Sends a signal to its group.
    package func send(signal: Int32) { if !hasEnded { _ = kill(-number, signal) } }

    /// Waits for the end, and returns the status: 128 and the number of the signal if one ended it.
    package func takeEnd() -> Int32 {
        if hasEnded { return 0 }
        hasEnded = true
        var status: Int32 = 0
        while waitpid(number, &status, 0) < 0, errno == EINTR {}
        ProcessRegistry.shared.remove(number)
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
    }
}
