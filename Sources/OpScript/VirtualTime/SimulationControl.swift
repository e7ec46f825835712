package import Scheduling

/// What a host has to say about a run on virtual time, beside its seed.
package struct SimulationControl: Sendable {
    /// Who makes the choices that the contract leaves open; nil: the order is the contract's own.
    package var choices: ChoiceSource?
    /// How many turns the script may take; nil for any number.
    package var stepLimit: Int?
    /// Virtual seconds that the run may take; nil for any time.
    package var timeLimit: Double?
    /// What tests plant into the scheduler; without effect in release builds.
    package var plantedDefect: PlantedDefect?

    /// Nothing to say.
    package init(
        choices: ChoiceSource? = nil,
        stepLimit: Int? = nil,
        timeLimit: Double? = nil,
        plantedDefect: PlantedDefect? = nil
    ) {
        self.choices = choices
        self.stepLimit = stepLimit
        self.timeLimit = timeLimit
        self.plantedDefect = plantedDefect
    }
}
