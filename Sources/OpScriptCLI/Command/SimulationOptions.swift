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

    /// Sets an engine up.
    func apply(to configuration: inout ScriptEngine.Configuration) {
        configuration.seed = seed
        configuration.isStrict = isStrict
        guard isVirtual else { return }
        configuration.clock = .virtual
        // What a date reads as must not depend on where the machine stands.
        setenv("TZ", "UTC", 1)
        tzset()
    }
}
