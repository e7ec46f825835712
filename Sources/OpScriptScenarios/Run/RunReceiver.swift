internal import OpScript
internal import Synchronization

/// The messages of a run, from any thread: kept until its end, or passed on at once.
final class RunReceiver: Sendable {
    /// One message of the library.
    struct Told: Sendable {
        var event: ScriptTable
        /// The output since the last message.
        var output: [UInt8]
        /// The diagnoses since then.
        var diagnoses: [String]
        /// Seconds since then.
        var duration: Double
    }

    private struct State {
        var events: [ScriptTable] = []
        var output: [UInt8] = []
        var diagnoses: [String] = []
        var phaseBegan = ContinuousClock.now
        var hasBegun = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let hear: (@Sendable (Told) -> Void)?

    init(_ hear: (@Sendable (Told) -> Void)?) { self.hear = hear }

    /// The moment of the last message, or of the beginning; nil before that, and after the end.
    var phaseBegan: ContinuousClock.Instant? {
        state.withLock { $0.hasBegun && !$0.hasEnded ? $0.phaseBegan : nil }
    }

    /// Notes that the run begins. Its time counts from now on, and not from the request: in between, a busy
    /// process may do much else.
    func begins() {
        state.withLock { state in
            state.phaseBegan = ContinuousClock.now
            state.hasBegun = true
        }
    }

    /// Notes that the run has ended: no time counts any more, even if the process is too busy to take the report.
    func ends() { state.withLock { $0.hasEnded = true } }

    /// Whether the run has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func print(_ bytes: [UInt8]) { state.withLock { $0.output += bytes } }

    func complain(_ line: String) { state.withLock { $0.diagnoses.append(line) } }

    func take(_ value: ScriptValue) {
        guard case .table(let table) = value else { return }
        let told = state.withLock { state -> Told? in
            let now = ContinuousClock.now
            defer { if hear != nil { state.phaseBegan = now } }
            guard hear != nil else {
                // The output of the file while it was loaded is reported when the file is listed.
                if table.text("event") == "begun" { state.output = [] }
                state.events.append(table)
                return nil
            }
            defer { (state.output, state.diagnoses) = ([], []) }
            return Told(
                event: table,
                output: state.output,
                diagnoses: state.diagnoses,
                duration: (now - state.phaseBegan).inSeconds
            )
        }
        if let told { hear?(told) }
    }

    func run(_ report: ScriptReport, duration: Double) -> ScenarioRun {
        state.withLock {
            ScenarioRun(
                events: $0.events,
                output: $0.output,
                diagnoses: $0.diagnoses,
                report: report,
                duration: duration
            )
        }
    }
}
