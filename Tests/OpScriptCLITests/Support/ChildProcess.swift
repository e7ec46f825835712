import Foundation
import Glibc

/// A process that runs beside a test. Streams without a pipe are `/dev/null`.
///
/// Foundation's `Process` reads beyond a buffer when it lists the descriptors of this process, which now and then ends
/// all tests.
final class ChildProcess {
    let id: pid_t
    private var endStatus: Int32?

    /// - Throws: A `POSIXError` if it cannot be started.
    init(
        _ path: String,
        _ words: [String],
        folder: String? = nil,
        input: Pipe? = nil,
        output: Pipe? = nil,
        errors: Pipe? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let ends = [input?.fileHandleForReading, output?.fileHandleForWriting, errors?.fileHandleForWriting]
        for (number, end) in ends.enumerated() {
            if let end {
                posix_spawn_file_actions_adddup2(&actions, end.fileDescriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
        // Other children must not keep the pipes open.
        for pipe in [input, output, errors] {
            guard let pipe else { continue }
            for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        let inFolder = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder ?? ".", path]
        let arguments = (inFolder + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id: pid_t = 0
        // A shell that has started the tests in the background ignores INT, and so would this process.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let code = posix_spawn(&id, inFolder[0], &actions, &attributes, arguments, environ)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.id = id
        for end in ends { try end?.close() }
    }

    /// Whether it has not ended.
    private var isRunning: Bool {
        if endStatus == nil, waitpid(id, &status, WNOHANG) == id { endStatus = status }
        return endStatus == nil
    }
    private var status: Int32 = 0

    /// Sends it a signal, unless it has ended.
    func signal(_ number: Int32) { if isRunning { kill(id, number) } }

    /// Waits for its end, and returns its exit status; 128 and the number of the signal that ended it.
    @discardableResult
    func wait() -> Int32 {
        while endStatus == nil { if waitpid(id, &status, 0) == id { endStatus = status } }
        let status = endStatus ?? 0
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }
}
