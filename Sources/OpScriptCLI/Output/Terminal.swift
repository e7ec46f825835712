// @preconcurrency because the C library's `stdout` is a variable; it is set before any thread starts.
@preconcurrency internal import Glibc
internal import Synchronization

/// The terminal or file behind a descriptor.
enum Terminal {
    /// Whether it is a terminal.
    static func isAttached(to descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether a line can be redrawn in place there.
    static func canRedraw(_ descriptor: Int32) -> Bool {
        guard isAttached(to: descriptor), let kind = getenv("TERM") else { return false }
        let name = String(cString: kind)
        return !name.isEmpty && name != "dumb"
    }

    /// Whether two descriptors lead to the same terminal.
    static func areSame(_ one: Int32, _ other: Int32) -> Bool {
        var (first, second) = (stat(), stat())
        return isAttached(to: one) && isAttached(to: other) && fstat(one, &first) == 0
            && fstat(other, &second) == 0 && first.st_rdev == second.st_rdev
    }

    /// Whether another process may write what arrives at a descriptor to a terminal: it is a pipe or a socket.
    static func leadsToProcess(_ descriptor: Int32) -> Bool {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(facts.st_mode & S_IFMT)
    }

    /// Calls a closure while no writer's output reaches standard output.
    static func withoutOutput<Result>(_ body: () -> Result) -> Result {
        fflush(stdout)
        let kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if kept >= 0, nowhere >= 0 { dup2(nowhere, STDOUT_FILENO) }
        defer {
            fflush(stdout)
            if kept >= 0 { dup2(kept, STDOUT_FILENO) }
            for descriptor in [kept, nowhere] where descriptor >= 0 { close(descriptor) }
        }
        return body()
    }

    /// Whether to use colours there: it is a terminal with colours, and `NO_COLOR` is not set
    /// (https://no-color.org).
    static func takesColours(_ descriptor: Int32) -> Bool {
        canRedraw(descriptor) && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    }

    /// Notes the settings of standard input, for ``restoreSettings()``.
    static func keepSettings() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 { keptSettings.withLock { $0 = settings } }
    }

    /// Gives standard input its noted settings back, if they were noted. From any thread; it does not wait.
    static func restoreSettings() {
        keptSettings.withLockIfAvailable { kept in
            guard var settings = kept else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    private static let keptSettings = Mutex<termios?>(nil)

    /// How many columns it has now.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// How many rows it has now.
    static func rows(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }

    /// Whether a service runs the command, unobserved: then even a terminal gets plain lines.
    static var isService: Bool {
        guard let value = getenv("CI") else { return false }
        return !["", "0", "false"].contains(String(cString: value))
    }

    /// Gives the standard descriptors a place, so that no file opened later becomes standard output by accident.
    static func occupyStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1
        {
            // Opened for reading only, so that writing to a closed output is still an error.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
