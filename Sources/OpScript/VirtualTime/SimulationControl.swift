package import Scheduling

/// The settings of a host for a run on virtual time, besides its seed.
package struct SimulationControl: Sendable {
    /// Makes the choices that the contract leaves open; nil for the contract's own order.
    package var choices: ChoiceSource?
    /// How many turns the script may take; nil for any number.
    package var stepLimit: Int?
    /// Virtual seconds that the run may take; nil for no limit.
    package var timeLimit: Double?
    /// The date at which virtual time begins, in seconds since 1970.
    package var startDate = WallClock.virtualEpoch
    /// Whether dates begin at the real date instead of ``startDate``, and advance with both clocks.
    package var beginsAtRealDate = false
    /// A defect that tests plant in the scheduler; without effect in release builds.
    package var plantedDefect: PlantedDefect?

    /// Makes settings; by default there are none.
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
