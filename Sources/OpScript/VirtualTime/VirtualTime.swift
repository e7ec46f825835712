internal import Scheduling

/// Virtual time: the simulated loop, chance, faults that replace works, and the choices that an exploration makes.
///
/// Owns the simulation. Called by the loop, and by the parts that make a choice or start a work.
final class VirtualTime: RuntimePart {
    let works: Works

    /// The substitutes for Swift closures under virtual time; nil on the real clock.
    let simulation: Simulation?
    /// The functions that no seed can control and that a warning has already named.
    var namedUncontrolled: Set<String> = []

    /// Seconds since 1970, as scripts see them.
    var date: Double { WallClock.now(scheduler.clock, configuration.control) }

    /// Seconds from now until a moment of the calendar has been reached on every clock of the system, below 0 if it
    /// lies in the past.
    func secondsUntil(_ moment: Double) -> Double {
        let ahead = moment - date
        return scheduler.clock.isVirtual || ahead <= 0 ? ahead : ahead + WallClock.coarseness
    }

    init(_ foundation: RuntimeFoundation, works: Works) {
        self.works = works
        let isVirtual = foundation.configuration.clock == .virtual
        simulation =
            isVirtual
            ? Simulation(foundation.configuration.control, seed: foundation.configuration.chanceSeed ?? 0)
            : nil
        super.init(foundation)
    }
}
