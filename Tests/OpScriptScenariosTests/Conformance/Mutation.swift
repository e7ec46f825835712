import Scheduling
import Testing

/// A defect of the machine, and the scenarios that detect it.
struct Mutation: CustomTestStringConvertible {
    let defect: PlantedDefect
    /// The file of scenarios that finds it.
    let file: String
    /// Whether no scenario of the file fails in the usual order.
    var needsExploration = false

    var testDescription: String { defect.rawValue }

    static let isPossible = PlantedDefect.isPossible

    static let all = [
        Mutation(defect: .barrierOvertaken, file: "barriers"),
        Mutation(defect: .priorityChangeForgotten, file: "order"),
        Mutation(defect: .orderOfReadiness, file: "order"),
        Mutation(defect: .startsWhileSuspended, file: "suspension", needsExploration: true),
        Mutation(defect: .cancelledKeepsDependents, file: "dependencies"),
        Mutation(defect: .resourceKeptOnFailure, file: "resources"),
        Mutation(defect: .turnKeepsResource, file: "resources"),
        Mutation(defect: .slotLostBetweenAttempts, file: "attempts"),
        Mutation(defect: .lostWakeUp, file: "width"),
        Mutation(defect: .cancelledStarts, file: "cancellation", needsExploration: true),
        Mutation(defect: .widthOffByOne, file: "width"),
        Mutation(defect: .delayForgotten, file: "attempts"),
        Mutation(defect: .groupEndsEarly, file: "groups"),
    ]
}
