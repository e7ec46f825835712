internal import Glibc
internal import OpScript

/// The simulation of a run: its clock, its randomness, and its trace.
struct SimulationOptions: Equatable {
    var isVirtual = false
    /// The seed; nil for randomness on the system's clock, and for the default seed under virtual time.
    var seed: UInt64?
    var isStrict = false
    var checksDeterminism = false
    /// The file of the trace; `-` for standard error.
    var tracePath: String?
    /// The local date at which virtual time begins; nil for the default.
    var start: LocalDate?
    /// The time zone, as in the variable TZ; nil for that of the machine, or UTC under virtual time.
    var timeZone: String?

    /// A whole number, decimal or as `0x1f3a`; nil for anything else.
    static func seed(_ text: String) -> UInt64? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return UInt64(text.dropFirst(2), radix: 16) }
        return text.hasPrefix("+") ? nil : UInt64(text)
    }

    /// The plan for exploring interleavings; nil: the order is the contract's own.
    var exploration: ExplorationPlan?
    /// The interleaving to run.
    var replay: Schedule?
    /// How many turns a run may take.
    var maxSteps: Int?
    /// Virtual seconds that a run may take.
    var maxTime: Double?

    /// The fault in the text of a seed; nil if it is valid.
    static func problem(ofSeed text: String?) -> String? {
        guard let text, seed(text) == nil else { return nil }
        return
            "--seed is '\(text)', but it must be a whole number from 0 to 18446744073709551615, or one as 0x1f3a."
    }

    /// Sets an engine up.
    func apply(to configuration: inout ScriptEngine.Configuration) {
        configuration.seed = seed
        configuration.isStrict = isStrict
        // Under virtual time, the text of a date must not depend on the time zone of the machine.
        if let zone = timeZone ?? (isVirtual ? "UTC" : nil) {
            setenv("TZ", zone, 1)
            tzset()
        }
        guard isVirtual else { return }
        configuration.clock = .virtual
        configuration.control = SimulationControl(
            choices: replay.map { ChoiceSource(.replay($0)) },
            stepLimit: maxSteps ?? (exploration == nil && replay == nil ? nil : ExplorationOptions.stepLimit),
            timeLimit: maxTime
        )
        if let start { configuration.control.startDate = start.secondsSince1970 }
    }
}
