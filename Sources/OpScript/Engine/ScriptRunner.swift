/// Where a runtime lives and all its Lua code runs. Nothing of the runtime is seen by two threads at once.
protocol ScriptRunner: Sendable {
    /// Makes sure that what was posted to the link is served. From any thread.
    func start()

    /// The engine is to end, and the link refuses all: closes the runtime where it lives. From any thread.
    func stop()

    /// Serves what there is, for at most a time, on the calling thread; nil where this runner needs no help.
    func poll(budget: Int64) throws -> ScriptEngine.PollResult?
}

/// What a runtime is made of.
struct RuntimeSettings: Sendable {
    let configuration: ScriptEngine.Configuration
    let catalogue: WorkCatalogue
    let link: ScriptLink

    /// Makes the runtime, which stays where it is made.
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
