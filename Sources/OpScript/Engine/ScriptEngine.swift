internal import Scheduling
internal import Synchronization

/// A Lua state with a scheduler behind it: what a host embeds.
///
/// All Lua code runs on one thread of the engine's own, the script thread. The engine itself may be used from any thread.
///
/// ```swift
/// let engine = ScriptEngine()
/// engine.register("square") { (number: Int) in number * number }
/// let report = try await engine.run(code: "print(await(work.square(7)))")
/// ```
public final class ScriptEngine: Sendable {
    let configuration: Configuration
    let catalogue = WorkCatalogue()
    private let link = ScriptLink()
    private let thread: ScriptThread

    var adoptedQueues: AdoptedQueueTable { link.adoptedQueues }

    /// Makes an engine; its thread is started by the first run.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        thread = ScriptThread(configuration, catalogue, link)
        registerOwnWorks()
    }

    deinit {
        thread.stop()
    }

    /// Runs a script from a file and waits for its end: until nothing is left that could still run.
    ///
    /// Runs of one engine share one Lua state: globals stay.
    /// - Throws: ``ScriptError`` where the file cannot be read or does not compile, and for an error that ended the main chunk, or
    ///   that nobody caught in a callback. Operations that failed are no error: they stand in the report.
    public func run(file: String, arguments: [String] = []) async throws -> ScriptReport {
        guard let source = SourceFile.read(file) else {
            throw ScriptError(.host, "cannot read '\(file)': no such file, or it may not be read")
        }
        return try throwing(
            await report(
                source: source,
                named: "@\(file)",
                script: file,
                interpreter: [],
                arguments: arguments
            )
        )
    }

    /// Runs source text and waits for its end.
    ///
    /// - Parameter name: What error messages call it: `@job.lua` for a file, `=name` for anything else.
    public func run(_ source: [UInt8], named name: String, arguments: [String] = []) async throws
        -> ScriptReport
    {
        try throwing(
            await report(source: source, named: name, script: nil, interpreter: [], arguments: arguments)
        )
    }

    /// The same for text that stands in the program itself.
    public func run(code: String, named name: String = "=code", arguments: [String] = []) async throws
        -> ScriptReport
    {
        try await run(Array(code.utf8), named: name, arguments: arguments)
    }

    private func throwing(_ report: ScriptReport) throws -> ScriptReport {
        if let error = report.error { throw error }
        return report
    }

    /// Runs a script to its end; an error that ended it stands in the report. For commands.
    package func report(
        source: [UInt8],
        named name: String,
        script: String?,
        interpreter: [String],
        arguments: [String]
    ) async -> ScriptReport {
        let backends = TelemetryBackends.current(configuration.logger)
        return await withCheckedContinuation { continuation in
            thread.run { runtime in
                runtime.telemetry = backends.map { Telemetry($0) }
                continuation.resume(
                    returning: runtime.run(
                        source: source,
                        named: name,
                        script: script,
                        interpreter: interpreter,
                        arguments: arguments
                    )
                )
            }
        }
    }

    /// The same on the calling thread, which waits. For commands whose main thread has nothing else to do.
    package func reportBlocking(
        source: [UInt8],
        named name: String,
        script: String?,
        interpreter: [String],
        arguments: [String]
    ) -> ScriptReport {
        let parker = Parker()
        let box = Mutex<ScriptReport?>(nil)
        let backends = TelemetryBackends.current(configuration.logger)
        thread.run { runtime in
            runtime.telemetry = backends.map { Telemetry($0) }
            let report = runtime.run(
                source: source,
                named: name,
                script: script,
                interpreter: interpreter,
                arguments: arguments
            )
            box.withLock { $0 = report }
            parker.unpark()
        }
        parker.park()
        return box.withLock { $0 } ?? ScriptReport()
    }

    /// Cancels what runs and lets completion blocks run, as the first Ctrl-C does. From any thread.
    public func cancel() {
        link.cancel()
    }

    /// How far the run has come; needs ``Configuration/tracksStatus``. From any thread.
    public var status: ScriptStatus { link.status }

    /// Works that belong to the contract itself.
    private func registerOwnWorks() {
        register("sleep", "Ends after some seconds; holds no thread.", parameters: ["seconds"]) {
            (seconds: Double) throws -> Double in
            guard seconds >= 0 else {
                throw ScriptError(.argument, "a number of seconds of at least 0 expected, got \(seconds)")
            }
            return seconds
        }
    }
}
