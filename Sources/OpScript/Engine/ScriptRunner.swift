internal import Scheduling

/// The place where a runtime lives and all its Lua code runs. No two threads access the runtime at once.
protocol ScriptRunner: AnyObject, Sendable {
    /// Makes sure that everything posted to the link is served. From any thread.
    func start()

    /// Closes the runtime where it lives. The engine is ending, and the link refuses all requests. From any thread.
    func stop()

    /// Serves everything that is pending, for at most `budget`, on the calling thread; nil if this runner
    /// needs no polling.
    func poll(budget: Int64) throws -> ScriptEngine.PollResult?

    /// Calls a closure with the runtime at once, on the calling thread; `name` is that of the host's call.
    ///
    /// - Throws: ``ScriptError`` with code `misuse` if the runtime does not live on this thread, or is in use.
    func perform(_ name: String, _ body: @Sendable (ScriptRuntime) throws -> ScriptValue) throws
        -> ScriptValue
}

extension ScriptRunner {
    func perform(_ name: String, _ body: @Sendable (ScriptRuntime) throws -> ScriptValue) throws
        -> ScriptValue
    {
        throw ScriptError(
            .misuse,
            "'\(name)' needs an engine that lives on the calling thread: its scriptExecutor is .manual or .mainActor"
        )
    }
}

/// The components of a runtime.
struct RuntimeSettings: Sendable {
    let configuration: ScriptEngine.Configuration
    let catalogue: WorkCatalogue
    let link: ScriptLink

    /// Closes a runtime where it lives. The link is notified when the runtime's threads have ended, except
    /// for those that still run a closure.
    func close(_ runtime: ScriptRuntime) {
        runtime.close()
        link.closingBegins()
        let link = link
        runtime.scheduler.close { link.closed() }
    }

    /// Makes the runtime, which stays on the thread that makes it.
    func makeRuntime(readerWaker: (@Sendable () -> Void)? = nil) -> ScriptRuntime {
        let runtime = ScriptRuntime(
            configuration: configuration,
            catalogue: catalogue,
            link: link,
            readerWaker: readerWaker
        )
        link.attach(runtime.scheduler)
        return runtime
    }
}
