package import OpScript

/// A scenario to repeat, with its schedule: `2@3:1/2` is the second one of a file by the schedule `3:1/2`.
package struct ScenarioReplay: Sendable, Equatable, CustomStringConvertible {
    /// Its place among all scenarios of its file, from 1.
    package var index: Int
    /// The order of its run.
    package var schedule: Schedule

    /// Creates a replay.
    package init(index: Int, schedule: Schedule) {
        self.index = index
        self.schedule = schedule
    }

    /// Reads the text of a replay; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].allSatisfy({ $0.isASCII && $0.isNumber }), let index = Int(parts[0]),
            index > 0, let schedule = Schedule(String(parts[1]))
        else { return nil }
        self.init(index: index, schedule: schedule)
    }

    package var description: String { "\(index)@\(schedule)" }
}
