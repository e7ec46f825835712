internal import Scheduling

/// The place where a runtime lives and all its Lua code runs. No two threads access the runtime at once.
protocol ScriptRunner: Sendable {
    /// Makes sure that everything posted to the link is served. From any thread.
    func start()

    /// Closes the runtime where it lives. The engine is ending, and the link refuses all requests. From any thread.
    func stop()

    /// Serves everything that is pending, for at most `budget`, on the calling thread; nil if this runner
    /// needs no polling.
    func poll(budget: Int64) throws -> ScriptEngine.PollResult?
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
