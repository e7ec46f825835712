internal import Glibc
package import OpScript
internal import OpScriptWorks
internal import Scheduling
internal import Synchronization

/// Runs the bodies of another process's operations, on a node: one of a batch, or as a pilot one after the other.
package struct SlurmWorker {
    private let engine: ScriptEngine
    private let output: OutputRecord

    /// - Parameters:
    ///   - engine: Has the works that scripts may call; it runs no script.
    ///   - output: Gets the output of programs and isolates, by the configuration of the engine.
    package init(_ engine: ScriptEngine, _ output: OutputRecord) {
        self.engine = engine
        self.output = output
    }

    // MARK: One task

    /// Runs one body of a batch, and leaves its end in the shared folder.
    ///
    /// - Returns: The exit status of the job: 0 if its end is in the folder, whatever it is.
    package func runTask(folder path: String, batch: Int, index: Int) throws(ScriptError) -> Int32 {
        let folder = SharedFolder(path)
        let run = TaskRun(try folder.task(batch: batch, index: index), output)
        Self.onTermination { run.terminate() }
        let report = BlockingResult.of { [engine] in await run.perform(in: engine, on: Self.node) }
        if run.isMeaningless(report.end) { return Self.terminated }
        let restarts = getenv("SLURM_RESTART_COUNT").flatMap { Int(String(cString: $0)) } ?? 0
        try folder.write(report, as: ResultName(batch: batch, index: index, restarts: restarts))
        return 0
    }

    // MARK: A pilot

    /// Seconds without a word of the driver after which it counts as gone; it has one to say every ``pause`` seconds.
    private static let silence = 300.0
    static let pause = 60.0

    /// The status of a job that was ended.
    private static let terminated: Int32 = 128 + SIGTERM

    /// Takes bodies from standard input and reports their ends on standard output, until the input ends.
    ///
    /// - Parameter path: The folder of the run, for values that are too large for messages.
    package func runPilot(folder path: String) -> Int32 {
        let folder = SharedFolder(path)
        // The output of works must not come among the reports.
        let channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let reports = ReportWriter(channel)
        let bodies = PilotBodies(output)
        Self.onTermination { if !bodies.terminate() { Self.leave() } }
        reports.write(.ready(node: Self.node))
        let end = BlockingResult<Void>()
        Task { [engine] in
            for await run in bodies.queue {
                let number = run.message.number
                reports.write(.began(number))
                let progress = reports.follow(run)
                let report = await run.perform(in: engine, on: Self.node)
                progress.cancel()
                if run.isMeaningless(report.end) { Self.leave() }
                bodies.ended(number)
                reports.write(report, of: number, folder)
            }
            end.set(())
        }
        let isFinished = takeOrders(for: bodies, folder, reports)
        // Otherwise the driver is gone.
        if !isFinished { bodies.stop() }
        bodies.finish()
        end.wait()
        return isFinished ? 0 : 1
    }

    /// Takes orders from standard input until it ends; false if that was not the driver's wish.
    private func takeOrders(for bodies: PilotBodies, _ folder: SharedFolder, _ reports: ReportWriter) -> Bool
    {
        var frames = MessageFrames()
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            // Slurm does not close the input of a pilot whose `srun` was killed.
            var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&request, 1, Int32(Self.silence * 1000))
            if ready == 0 { return false }
            if ready < 0 { continue }
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return false }
            frames.append(piece[..<count])
            while let bytes = frames.next() {
                switch PilotOrder(bytes) {
                case .run(let message): bodies.begin(message)
                case .runStored(let number, let name):
                    if let bytes = folder.stored(name), let message = TaskMessage(bytes) {
                        bodies.begin(message)
                    } else {
                        let file = "\(folder.path)/values/\(name)"
                        let error = ScriptError(.host, "the arguments are not visible on the node: \(file)")
                        let report = TaskReport(node: Self.node, end: .failed(error), output: [])
                        reports.write(report, of: number, folder)
                    }
                case .ping: break
                case .stop(let number): bodies.stop(number)
                case .finish: return true
                case nil: return false
                }
            }
        }
    }

    /// Ends the process of a job that was ended, with all that its bodies have started.
    private static func leave() -> Never {
        ProcessRegistry.shared.killAll()
        _exit(terminated)
    }

    /// The node's name in Slurm, or the host's.
    private static var node: String {
        if let name = getenv("SLURMD_NODENAME") { return String(cString: name) }
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "?" }
    }

    // MARK: Waiting

    /// Blocks the signals with which Slurm ends a job, for all threads to come. Call it before others are started.
    package static func holdSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A driver that is gone shows by an error of the system call.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `stop` when Slurm, or a user, ends the job.
    private static func onTermination(_ stop: @escaping @Sendable () -> Void) {
        _ = SystemThread.start(name: "signals") {
            var signals = sigset_t()
            sigemptyset(&signals)
            for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
            var number: Int32 = 0
            while sigwait(&signals, &number) == 0 { stop() }
        }
    }
}

/// The bodies that a pilot has, and the queue in which they wait; from any thread.
private final class PilotBodies: Sendable {
    /// The bodies, one after the other.
    let queue: AsyncStream<TaskRun>
    private let entrance: AsyncStream<TaskRun>.Continuation
    private let output: OutputRecord
    private let runs = Mutex<[UInt64: TaskRun]>([:])

    init(_ output: OutputRecord) {
        self.output = output
        (queue, entrance) = AsyncStream.makeStream()
    }

    func begin(_ message: TaskMessage) {
        let run = TaskRun(message, output)
        runs.withLock { $0[message.number] = run }
        entrance.yield(run)
    }

    func ended(_ number: UInt64) { runs.withLock { $0[number] = nil } }

    func stop(_ number: UInt64) { runs.withLock { $0[number] }?.stop() }

    /// Stops all.
    func stop() { for run in runs.withLock({ Array($0.values) }) { run.stop() } }

    /// The job of the pilot ends; false if it has no body.
    func terminate() -> Bool {
        let all = runs.withLock { Array($0.values) }
        for run in all { run.terminate() }
        return !all.isEmpty
    }

    /// No body follows.
    func finish() { entrance.finish() }
}

/// Writes the reports of a pilot; from any thread.
private final class ReportWriter: Sendable {
    private let descriptor: Int32
    private let lock = Mutex(())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reports the end of a body.
    ///
    /// - Parameter folder: For an end that is too large for a message.
    func write(_ report: TaskReport, of number: UInt64, _ folder: SharedFolder) {
        let bytes = report.bytes
        guard bytes.count > SharedFolder.mostMessageBytes else { return write(.ended(number, bytes)) }
        do throws(ScriptError) {
            write(.endedStored(number, try folder.store(bytes, for: number)))
        } catch {
            write(
                .ended(
                    number,
                    TaskReport(node: report.node, seconds: report.seconds, end: .failed(error), output: [])
                        .bytes
                )
            )
        }
    }

    func write(_ report: PilotReport) {
        let bytes = MessageFrames.frame(report.bytes)
        lock.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { return }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    /// Reports the progress of a body, at most five times a second, until the task is cancelled.
    func follow(_ run: TaskRun) -> Task<Void, any Error> {
        Task { [self] in
            var last: (Int64, Int64, String?) = (0, 0, nil)
            while true {
                try await Task.sleep(for: .milliseconds(200))
                let progress = run.context.progress
                let now = (
                    progress.completedUnitCount, progress.totalUnitCount, progress.localizedDescription
                )
                if now == last { continue }
                last = now
                write(.progress(run.message.number, completed: now.0, total: now.1, text: now.2))
            }
        }
    }
}
