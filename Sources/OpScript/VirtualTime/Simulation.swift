internal import LuaVM

/// The substitutes for Swift closures under virtual time.
///
/// A rule determines the behaviour of the operations of all works whose names match a pattern. If several
/// rules match, the last one counts. An operation is bound to its rule when it is made. Confined to the
/// script thread.
final class Simulation {
    /// How many workers scripts see, on any machine.
    static let workers = 8

    /// The behaviour that a rule determines.
    enum Behaviour {
        /// As the work was registered.
        case registered
        case real
        case instant
        /// A Lua function replaces the closure.
        case function(LuaReference)
    }

    /// The settings of the host.
    let control: SimulationControl
    /// The faults that are injected into works.
    var faults: FaultPlan
    /// How many turns the run has taken.
    var stepCount = 0
    /// The step at which the run is cancelled on purpose.
    var cancelStep: Int? { didSet { setLandmark() } }
    /// Whether that has happened.
    var wasCancelledOnPurpose = false
    /// The first step that needs a check.
    private(set) var nextLandmark = Int.max
    /// How often each thing ran in the last turns before a limit.
    var lastTurns: [String: Int] = [:]
    /// The number of the first entry in the list of due times that was made since the clock last advanced.
    var firstAtThisMoment: UInt64 = 0
    /// The clusters in memory that operations have come to, by name.
    var clusters: [String: SimulatedCluster] = [:]
    /// How they behave, as the script has said.
    var clusterModels: [String: ClusterModel] = [:]
    var choices: ChoiceSource? { control.choices }

    private struct Rule {
        var pattern: NamePattern
        /// The index in `behaviours`.
        var place: Int
    }

    private var rules: [Rule] = []
    /// The behaviours of all rules, including replaced ones: operations may be bound to them.
    private var behaviours: [Behaviour] = []

    init(_ control: SimulationControl, seed: UInt64) {
        self.control = control
        faults = FaultPlan(seed: seed)
        setLandmark()
    }

    /// A run begins.
    func begin() {
        stepCount = 0
        cancelStep = nil
        wasCancelledOnPurpose = false
        lastTurns = [:]
        clusters = [:]
        clusterModels = [:]
    }

    private func setLandmark() {
        nextLandmark = min(cancelStep ?? .max, control.stepLimit.map { max(1, $0 - 1000) } ?? .max)
    }

    /// Adds a rule, for operations that are made from then on.
    func add(_ behaviour: Behaviour, for pattern: NamePattern) {
        rules.removeAll { $0.pattern == pattern }
        rules.append(Rule(pattern: pattern, place: behaviours.count))
        behaviours.append(behaviour)
    }

    /// The behaviour of operations that were created from a definition.
    func behaviour(of definition: WorkDefinition) -> Behaviour {
        definition.rule >= 0 ? behaviours[definition.rule] : .registered
    }

    /// All works; those that the script thread runs are marked as such.
    func definitions(of catalogue: WorkCatalogue) -> [WorkDefinition] {
        catalogue.definitions.map { definition in
            let rule = rules.last { $0.pattern.matches(definition.name) }?.place ?? -1
            let behaviour = rule >= 0 ? behaviours[rule] : .registered
            return isSimulated(definition, behaviour) || isFaulty(definition)
                ? definition.simulated(by: rule) : definition
        }
    }

    /// Whether the script thread runs the operations of a work, or could.
    func isControllable(_ definition: WorkDefinition) -> Bool {
        if case .sleep = definition.mode.content { return true }
        let behaviour = rules.last { $0.pattern.matches(definition.name) }.map { behaviours[$0.place] }
        return !definition.isAsync || isSimulated(definition, behaviour ?? .registered)
    }

    /// Whether the script thread runs a real work because it may be subject to a fault.
    private func isFaulty(_ definition: WorkDefinition) -> Bool {
        if case .sleep = definition.mode.content { return false }
        return !definition.isAsync && faults.concerns(definition.name)
    }

    private func isSimulated(_ definition: WorkDefinition, _ behaviour: Behaviour) -> Bool {
        switch (behaviour, definition.mode.content) {
        case (.function, _), (.registered, .modelled): true
        case (.registered, .instant), (.instant, .instant), (.instant, .modelled), (.instant, .real):
            !definition.isAsync
        case (.registered, _), (.real, _), (.instant, .sleep): false
        }
    }
}

/// A name, or names with `*` for any number of characters.
struct NamePattern: Equatable {
    let text: String
    private let parts: [Substring]

    init(_ text: String) {
        self.text = text
        parts = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    var isPlain: Bool { parts.count == 1 }

    func matches(_ name: String) -> Bool {
        guard let first = parts.first, let last = parts.last, !isPlain else { return name == text }
        guard name.hasPrefix(first), name.count >= first.count + last.count, name.hasSuffix(last) else {
            return false
        }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    static func == (left: NamePattern, right: NamePattern) -> Bool { left.text == right.text }
}
