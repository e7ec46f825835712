internal import Glibc
internal import Synchronization

/// Passes signals, and calls of other threads, to the one thread that waits for them.
///
/// It is a pipe, because a signal handler may write to one; our handler does nothing else. Signals are not
/// blocked, and no thread waits for them with `sigwait`: programs that the script starts would inherit a
/// blocked signal for their whole life, while `exec` removes a handler. Also, a script's own handling can
/// replace a handler and restore it.
struct WakePipe {
    /// A message from the pipe.
    enum Message: Equatable {
        case signal(Int32)
        case call
    }

    private let readEnd: Int32
    /// The end to read from, of the last pipe; -1 if there is none.
    private static let descriptor = Atomic<Int32>(-1)

    /// Makes the pipe of this process; nil if there are no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        Self.descriptor.store(ends[0], ordering: .releasing)
        wakeDescriptor.store(ends[1], ordering: .releasing)
    }

    /// Directs the signals that request an end, or a stop from the keyboard, to the pipe, and makes writing to a closed
    /// pipe an error.
    ///
    /// An ignored signal stays ignored, as for commands that a shell starts in the background. A blocked one is
    /// unblocked for the calling thread: a program that starts the command from a thread of libdispatch passes a
    /// mask on that blocks nearly all signals, and the command could not be ended.
    func watchSignals() {
        var watched = sigset_t()
        sigemptyset(&watched)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP] {
            var former = sigaction()
            sigaction(number, nil, &former)
            if Self.isIgnored(former) { continue }
            sigaddset(&watched, number)
            install(number) { number in
                let code = errno
                send(UInt8(truncatingIfNeeded: number))
                errno = code
            }
        }
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
        // Not SIG_IGN, which programs that rely on being ended by the signal would inherit.
        install(SIGPIPE) { _ in }
        // A file that may not grow is a failed write, as on a full disk.
        install(SIGXFSZ) { _ in }
    }

    /// Waits until a message comes or this many seconds are over.
    ///
    /// - Parameter other: A descriptor that ends the wait, too, when it can be read.
    func wait(seconds: Double, other: Int32 = -1) -> [Message] {
        var descriptors = [
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        // Rounded up, since a wait that ended too early would begin again at once.
        let milliseconds = Int32(min(max(0, seconds * 1000).rounded(.up), 3_600_000))
        poll(&descriptors, 2, milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(readEnd, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes[..<count].map { $0 == 0 ? .call : .signal(Int32($0)) }
    }

    /// Makes the waiting thread check its work. From any thread.
    static func call() { send(0) }

    /// Does what Ctrl-C does. From any thread.
    static func interrupt() { send(UInt8(truncatingIfNeeded: SIGINT)) }

    /// The run is over, and no thread waits for messages any more: returns the descriptor from which later ones can be
    /// read, or -1.
    static func takeOver() -> Int32 {
        let end = descriptor.load(ordering: .acquiring)
        var bytes = [UInt8](repeating: 0, count: 64)
        while end >= 0, read(end, &bytes, bytes.count) > 0 {}
        return end
    }

    /// Whether messages have a signal that ends the process.
    static func hasEnd(_ bytes: [UInt8]) -> Bool {
        bytes.contains { [SIGINT, SIGTERM, SIGHUP].contains(Int32($0)) }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }
}

/// The end to write to. Set before a handler is installed, so that a handler only ever reads it.
private let wakeDescriptor = Atomic<Int32>(-1)

/// Safe in a signal handler: one load and one system call. A full pipe already wakes its reader.
private func send(_ byte: UInt8) {
    var byte = byte
    _ = write(wakeDescriptor.load(ordering: .acquiring), &byte, 1)
}
