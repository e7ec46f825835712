internal import LuaVM

/// Lua code of the host that serves the lines which a person types, in a run without a script.
///
/// Such a run stays open until it is cancelled or a line calls `os.exit`. An error that a callback does not catch is
/// reported and does not end it, and between two lines nothing is a deadlock: the next line may end any wait.
package struct PromptLibrary: Sendable {
    /// Its name in tracebacks; frames of chunks whose name begins with `[opscript` are left out of places.
    package var name: String
    /// Lua text. It gets the function ``answer`` and returns the function that ``ScriptEngine/askPrompt(_:)`` calls.
    package var source: String
    /// Answers the library on the script thread.
    package var answer: @Sendable (ScriptValue) -> ScriptValue

    /// Makes a library.
    package init(name: String, source: String, answer: @escaping @Sendable (ScriptValue) -> ScriptValue) {
        self.name = name
        self.source = source
        self.answer = answer
    }
}

extension ScriptEngine {
    /// Begins a run without a script for the lines of a person; `completion` is called with its report, on any thread.
    package func startPrompt(
        _ library: PromptLibrary,
        script: String?,
        namesScript: Bool,
        interpreter: [String],
        arguments: [String],
        completion: @escaping @Sendable (ScriptReport) -> Void
    ) {
        let request = RunRequest(
            source: [],
            name: "=prompt",
            script: script,
            namesScript: namesScript,
            interpreter: interpreter,
            arguments: arguments,
            backends: TelemetryBackends.current(configuration.logger),
            prompt: library
        )
        request.onCompletion(completion)
        submit(request)
    }

    /// Calls the function of the prompt's library, which may wait, and returns its first result.
    ///
    /// Cancelling the task interrupts the waits inside.
    package func askPrompt(_ arguments: [ScriptValue]) async throws -> ScriptValue {
        try await Ask.send(link) { runtime, ask in
            runtime.run.beginAsk(ask) { state in
                guard let prompt = runtime.run.prompt else {
                    throw ScriptError(.host, "the session at the prompt has ended")
                }
                prompt.push(state)
                try runtime.run.pushArguments(arguments, of: "prompt", state)
            }
        }
    }

    /// Interrupts the Lua code that runs at the moment with an error that it cannot catch, if any runs. Later code is
    /// not affected. From any thread.
    package func interruptCode() { link.interruptCode() }
}

extension ScriptRun {
    /// Whether the run stays open although it has no main chunk.
    var isHeldOpen: Bool { prompt != nil && !runState.isCancelled && !runState.isOver }

    /// Whether the run waits for the next line of a person.
    var isBetweenLines: Bool { isHeldOpen && asks.isEmpty }

    /// Loads the library of a run that serves a person.
    func beginPrompt(_ library: PromptLibrary) {
        runState.mainChunkEnded = true
        let state = vm.main
        do throws(LuaError) {
            try vm.loadOwn(library.source, name: "=\(library.name)", into: state)
            state.push(promptAnswer)
            try state.call(arguments: 1, results: 1)
            prompt = vm.makeReference(state)
        } catch {
            runState.report.error = hostError(error)
        }
    }

    fileprivate func answerPrompt(_ value: ScriptValue) -> ScriptValue {
        guard case .run(let request) = session, let library = request.prompt else { return .nil }
        return library.answer(value)
    }
}

/// `answer(value)`: what the host says to a value.
private func promptAnswer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        var reader = ValueReader(runtime, state)
        do throws(ScriptConversionError) {
            runtime.push(runtime.run.answerPrompt(try reader.read(1)), state)
        } catch {
            throw LuaRaise(argument: 1, error.description)
        }
        return 1
    }
}
