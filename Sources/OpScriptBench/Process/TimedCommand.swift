internal import Glibc

/// A command that is started again and again, to time its start.
struct TimedCommand {
    private let output: String
    private let command: [String]

    /// - Parameter words: The file that takes the command's standard output, then the command and its arguments.
    init(_ words: [String]) throws {
        guard words.count > 1 else { throw BenchError("'launch' needs a file for the output and a command") }
        output = words[0]
        command = Array(words.dropFirst())
    }

    /// The nanoseconds that all starts took together, one after the other.
    ///
    /// - Throws: ``BenchError`` if a command could not be started or ended with a status other than 0.
    func run(times count: Int) throws -> Int {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<count { try runOnce() }
        return (clock.now - start).nanoseconds
    }

    private func runOnce() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var arguments = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, command[0], &actions, nil, arguments, environ)
        guard failure == 0 else {
            throw BenchError("cannot start '\(command[0])': \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            if errno != EINTR { throw BenchError("cannot wait for '\(command[0])'") }
        }
        // Neither a signal (low bits) nor an exit status (the next eight).
        guard status & 0xffff == 0 else {
            throw BenchError("'\(command.joined(separator: " "))' ended with wait status \(status)")
        }
    }
}
