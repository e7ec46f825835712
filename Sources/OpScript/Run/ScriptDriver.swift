/// Lua code of the host's that runs a script instead of the engine: a test runner, for instance.
///
/// It is the main chunk of its run. It gets a table of functions that see more than scripts do
/// ([DriverBinding](x-source-tag://DriverBinding)), and the script as a function that it may call, or not.
package struct ScriptDriver: Sendable {
    /// A piece of its code.
    package struct Chunk: Sendable {
        /// What tracebacks call it; frames of chunks whose name begins with `[opscript` are left out of places.
        package var name: String
        /// Lua text.
        package var source: String

        /// Makes a piece.
        package init(name: String, source: String) {
            self.name = name
            self.source = source
        }
    }

    /// Called one after the other with the table of functions, in which they may leave something for the later ones.
    ///
    /// The last one is the main chunk and may wait. It also gets ``arguments``, the script as a function or nil, and
    /// why it does not compile.
    package var chunks: [Chunk]
    /// The third argument of the last chunk.
    package var arguments: ScriptValue
    /// Called on the script thread with each value that the driver tells.
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
    /// Runs a script by a driver; an error that ended it stands in the report.
    ///
    /// - Parameters:
    ///   - source: The script's text.
    ///   - name: What error messages call it: `@job.lua` for a file.
    ///   - script: Its path, beside which modules lie.
    package func report(
        source: [UInt8],
        named name: String,
        script: String?,
        drivenBy driver: ScriptDriver
    ) async -> ScriptReport {
        await report(
            source: source,
            named: name,
            script: script,
            interpreter: [],
            arguments: [],
            driver: driver
        )
    }

    /// Ends the time of what a driver runs: everything is cancelled, and its waits raise `cancelled`. From any thread.
    package func expire(_ reason: String) {
        link.post { $0.run.expireDriver(reason) }
    }
}
