internal import Glibc
internal import OpScript

/// How a run is simulated: its clock, its chance, and what is written of it.
struct SimulationOptions: Equatable {
    var isVirtual = false
    /// nil for chance on the system's clock, and for the standard one under virtual time.
    var seed: UInt64?
    var isStrict = false
    var checksDeterminism = false
    /// Where the trace goes; `-` for standard error.
    var tracePath: String?

    /// A whole number, decimal or as `0x1f3a`; nil for anything else.
    static func seed(_ text: String) -> UInt64? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return UInt64(text.dropFirst(2), radix: 16) }
        return text.hasPrefix("+") ? nil : UInt64(text)
    }

    /// How interleavings are looked for; nil: the order is the contract's own.
    var exploration: ExplorationPlan?
    /// The interleaving to run.
    var replay: Schedule?
    /// How many turns a run may take.
    var maxSteps: Int?
    /// Virtual seconds that a run may take.
    var maxTime: Double?

    /// What is wrong with the text of a seed; nil where nothing is.
    static func problem(ofSeed text: String?) -> String? {
        guard let text, seed(text) == nil else { return nil }
        return
            "--seed is '\(text)', but it must be a whole number from 0 to 18446744073709551615, or one as 0x1f3a."
    }

    /// Sets an engine up.
    func apply(to configuration: inout ScriptEngine.Configuration) {
        configuration.seed = seed
        configuration.isStrict = isStrict
        guard isVirtual else { return }
        configuration.clock = .virtual
        configuration.control = SimulationControl(
            choices: replay.map { ChoiceSource(.replay($0)) },
            stepLimit: maxSteps ?? (exploration == nil && replay == nil ? nil : ExplorationOptions.stepLimit),
            timeLimit: maxTime
        )
        // What a date reads as must not depend on where the machine stands.
        setenv("TZ", "UTC", 1)
        tzset()
    }
}
