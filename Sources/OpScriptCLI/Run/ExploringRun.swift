internal import OpScript
internal import OpScriptScenarios

/// Runs a script through many interleavings until one fails, and then repeats that one with its output.
struct ExploringRun {
    /// The name of the command in diagnoses.
    let name: String
    let words: CommandLineWords
    let options: CommandOptions
    let source: ScriptSource
    let pipe: WakePipe
    let plan: ExplorationPlan

    /// Returns the exit status: that of the failure, or 0.
    func perform(_ register: (ScriptEngine) -> Void) -> Int32 {
        var explorer = Explorer(plan)
        var interruption: Int32?
        Terminal.withoutOutput {
            while let choices = explorer.next() {
                let status = run(register, choices, isSilent: true)
                interruption = status.interruption
                if interruption != nil { return }
                explorer.ended(choices, failure: status.code == 0 ? nil : "\(status.code)")
            }
        }
        if let interruption { return interruption }
        guard let found = explorer.found else {
            for warning in explorer.warnings { tell(warning) }
            let all = explorer.isExhausted ? "all there are" : "\(plan.strategy.rawValue), seed \(plan.seed)"
            if !options.isQuiet { tell("interleavings without a failure: \(explorer.iterations) (\(all))") }
            return ExitStatus.success
        }
        let status = run(register, ChoiceSource(.replay(found.schedule)), isSilent: false)
        if let interruption = status.interruption { return interruption }
        tell(Self.text(found, plan))
        tell("again: \(name) --virtual --seed \(plan.seed) --replay \(found.schedule) \(script)")
        return status.code
    }

    private func run(_ register: (ScriptEngine) -> Void, _ choices: ChoiceSource, isSilent: Bool)
        -> SingleRun.Status
    {
        let run = SingleRun(
            name: name,
            words: words,
            options: options,
            source: source,
            pipe: pipe,
        )
        return run.perform(
            register,
            trace: KeptTrace(),
            traceFile: nil,
            isSilent: isSilent,
            choices: choices
        )
    }

    /// The findings, in words.
    static func text(_ found: Explorer.Found, _ plan: ExplorationPlan) -> String {
        let length = found.schedule.turns.count
        let shrunk =
            length < found.firstLength ? ", shrunk from \(found.firstLength) choices to \(length)" : ""
        return
            "interleaving \(found.iteration) of \(plan.iterations) (\(plan.strategy.rawValue), seed "
            + "\(plan.seed)) fails\(shrunk): schedule \(found.schedule)"
    }

    private var script: String {
        var parts: [String] = []
        if let start = options.simulation.start { parts += ["--virtual-start", start.text] }
        if let zone = options.simulation.timeZone { parts += ["--time-zone", zone] }
        if let steps = options.simulation.maxSteps { parts += ["--max-steps", "\(steps)"] }
        if let seconds = options.simulation.maxTime { parts += ["--max-time", "\(seconds)"] }
        parts += words.pieces.flatMap(\.words)
        parts += [words.script].compactMap { $0 } + words.scriptArguments
        return parts.map(ShellWord.quoted).joined(separator: " ")
    }

    private func tell(_ text: String) { Console(callOwner: {}).writeError("\(name): \(text)") }
}
