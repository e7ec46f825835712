internal import Glibc

/// Watches scenarios from the main thread: signals, and output that waits to be written.
struct TestMonitor {
    /// How often to check for buffered output of Lua's own `io.write`, which notifies no thread.
    private static let flushInterval = 0.5

    /// The name of the command in diagnoses.
    let name: String
    let pipe: WakePipe
    let console: Console
    let cancel: () -> Void
    private var interruption = Interruption(start: 0, limit: nil)

    init(name: String, pipe: WakePipe, console: Console, cancel: @escaping () -> Void) {
        self.name = name
        self.pipe = pipe
        self.console = console
        self.cancel = cancel
    }

    /// The exit status of the interruption, if there was one.
    var status: Int32? { interruption.status }

    /// Returns as soon as `result` returns a value. The code that sets the value must call
    /// ``WakePipe/call()``.
    mutating func wait<Result>(for result: () -> Result?) -> Result {
        while true {
            if let result = result() { return result }
            for message in pipe.wait(seconds: Self.flushInterval) {
                switch message {
                case .signal(SIGTSTP): console.suspend(withGroup: false)
                case .signal(let number): perform(interruption.signalReceived(number, at: Self.now))
                case .call: break
                }
            }
            console.flushWithoutWaiting()
            console.leaveIfReaderIsGone()
        }
    }

    private func perform(_ action: Interruption.Action) {
        switch action {
        case .nothing: break
        case .cancel:
            console.writeErrorWithoutWaiting(
                "\(name): interrupted: no more scenarios are run (interrupt again to end at once)"
            )
            cancel()
        case .end(let status, let text):
            console.writeErrorWithoutWaiting("\(name): \(text)")
            OpScriptCommand.leave(status)
        }
    }

    /// Seconds on a monotonic clock.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
