/// Lua code of the host that runs a script instead of the engine: a test runner, for instance.
///
/// It is the main chunk of its run. It gets a table of functions that see more than scripts do
/// ([DriverBinding](x-source-tag://DriverBinding)), and the script as a function, which it may call.
package struct ScriptDriver: Sendable {
    /// A piece of its code.
    package struct Chunk: Sendable {
        /// Its name in tracebacks; frames of chunks whose name begins with `[opscript` are left out of places.
        package var name: String
        /// Lua text. Its compiled form is kept for the whole process, so there must be only few pieces.
        package var source: String

        /// Makes a piece.
        package init(name: String, source: String) {
            self.name = name
            self.source = source
        }
    }

    /// Called one after the other with the table of functions, in which a chunk may leave values for later ones.
    ///
    /// The last chunk is the main chunk and may wait. It also gets ``arguments``, the script as a function or nil, and
    /// the reason why the script does not compile.
    package var chunks: [Chunk]
    /// The third argument of the last chunk.
    package var arguments: ScriptValue
    /// Called on the script thread with each value that the driver passes to `tell`.
    package var receive: @Sendable (ScriptValue) -> Void

    /// Makes a driver.
    package init(
        chunks: [Chunk],
        arguments: ScriptValue,
        receive: @escaping @Sendable (ScriptValue) -> Void
    ) {
        self.chunks = chunks
        self.arguments = arguments
        self.receive = receive
    }
}

extension ScriptEngine {
    /// Runs a script by a driver; an error that ended the run is in the report.
    ///
    /// - Parameters:
    ///   - source: The script's text.
    ///   - name: Its name in error messages: `@job.lua` for a file.
    ///   - script: Its path; modules are searched beside it.
    ///   - ended: Called when it has ended, on any thread.
    package func report(
        source: [UInt8],
        named name: String,
        script: String?,
        drivenBy driver: ScriptDriver,
        ended: @escaping @Sendable () -> Void
    ) async -> ScriptReport {
        await report(
            source: source,
            named: name,
            script: script,
            interpreter: [],
            arguments: [],
            driver: driver,
            ended: ended
        )
    }

    /// Ends the time of a driver's run: everything is cancelled, and its waits raise `cancelled`. From any thread.
    package func expire(_ reason: String) {
        link.post { $0.run.expireDriver(reason) }
    }
}
