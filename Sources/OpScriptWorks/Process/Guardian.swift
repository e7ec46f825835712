internal import Glibc
internal import Subprocess
internal import SystemPackage

/// A small process that ends process groups when this one is gone, however it went.
///
/// It is told over a socket what runs; the system closes our end when we die, even by SIGKILL. Linux can signal a child
/// when the thread that started it ends, but only that child and not its group, and only by code that runs between
/// fork and exec; hence a process of our own.
final class Guardian: Sendable {
    private let socket: CInt

    /// A shell script that keeps a list like ` 17 23 `, and outlives signals that a terminal sends to all.
    private static let program = """
        trap '' INT TERM HUP QUIT
        groups=' '
        while read -r action group; do
            case $action in
            +) groups="$groups$group " ;;
            -) groups="${groups%% $group *} ${groups#* $group }" ;;
            esac
        done
        for group in $groups; do kill -KILL "-$group"; done
        """

    /// Starts it; nil where the system refuses a socket, and then nobody watches.
    init?() {
        var sockets: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else { return nil }
        socket = sockets[0]
        let itsEnd = FileDescriptor(rawValue: sockets[1])
        // Runs as long as this process. What it is told before it has started waits in the socket.
        Task.detached {
            var options = PlatformOptions()
            // A session of its own, so that no terminal reaches it.
            options.createSession = true
            // It holds none of our output, lest someone who reads that waits for the guardian's end.
            _ = try? await Subprocess.run(
                .path("/bin/sh"),
                arguments: ["-c", Self.program],
                environment: .custom([:] as [Environment.Key: String]),
                platformOptions: options,
                input: .fileDescriptor(itsEnd, closeAfterSpawningProcess: true),
                output: .discarded,
                error: .discarded
            )
        }
    }

    deinit {
        close(socket)
    }

    func watch(_ group: pid_t) { tell("+ \(group)\n") }

    func forget(_ group: pid_t) { tell("- \(group)\n") }

    private func tell(_ line: String) {
        // Neither waits nor raises SIGPIPE: if it is gone, or stopped by someone, work goes on without it.
        _ = line.withCString {
            send(socket, $0, strlen($0), CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
        }
    }
}
