internal import Glibc
internal import Synchronization

/// Brings signals, and calls of other threads, to the one thread that waits for them.
///
/// A pipe: a signal handler may write to it, which is all that ours does. Signals are not blocked and no thread waits
/// for them with `sigwait`, since programs that the script starts would inherit a blocked signal for life, while a
/// handler is gone with `exec`; and a script's own handling can take the place of a handler and put it back.
struct WakePipe {
    /// What came through the pipe.
    enum Message: Equatable {
        case signal(Int32)
        case call
    }

    private let readEnd: Int32

    /// Makes the pipe of this process; nil if there are no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        wakeDescriptor.store(ends[1], ordering: .releasing)
    }

    /// Has signals that ask for the end come through the pipe, and writing to a closed pipe be an error.
    ///
    /// A signal that is ignored stays ignored, as it is for commands that a shell starts in the background.
    func watchSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var former = sigaction()
            sigaction(number, nil, &former)
            if isIgnored(former) { continue }
            install(number) { number in
                let code = errno
                send(UInt8(truncatingIfNeeded: number))
                errno = code
            }
        }
        // Not SIG_IGN: that would be inherited by programs that rely on being ended by it.
        install(SIGPIPE) { _ in }
    }

    /// Waits until something comes or so many seconds are over, for ever with nil.
    func wait(seconds: Double?) -> [Message] {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        // Rounded up: a wait that ends too early would be begun again at once.
        let milliseconds = seconds.map { Int32(min(max(0, $0 * 1000).rounded(.up), 3_600_000)) } ?? -1
        poll(&descriptor, 1, milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(readEnd, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes[..<count].map { $0 == 0 ? .call : .signal(Int32($0)) }
    }

    /// Has the thread that waits look around. From any thread.
    static func call() { send(0) }

    private func isIgnored(_ action: sigaction) -> Bool {
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
