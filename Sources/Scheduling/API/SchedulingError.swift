/// Why a call did not fit the state of an operation or a queue.
public struct SchedulingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of misuse.
    public enum Code: Sendable {
        /// The dependency would close a cycle.
        case cycle
        /// The operation is in a queue already, executes or has finished.
        case misuse
        /// An argument is out of range or unknown.
        case argument
    }

    /// The kind of misuse.
    public let code: Code
    /// One sentence that names the operations.
    public let description: String

    init(stranger name: String, queue: String) {
        code = .misuse
        description =
            "'\(name)' belongs to another scheduler than '\(queue)'; make it with that queue's scheduler"
    }

    /// - Parameter place: The place where an operation was made, for operations whose names do not tell them apart.
    package init(
        _ failure: SchedulingFailure,
        name: (OperationID) -> String,
        place: (OperationID) -> String? = { _ in nil }
    ) {
        switch failure {
        case .cycle(let path):
            code = .cycle
            let isAmbiguous = Set(path.map(name)).count < path.count
            let names = path.map { id in
                "'\(name(id))'" + (isAmbiguous ? place(id).map { " (\($0))" } ?? "" : "")
            }
            description =
                "this dependency would close a cycle: "
                + (names + names.prefix(1)).joined(separator: " -> ")
        case .dependsOnItself:
            code = .cycle
            description = "an operation cannot depend on itself"
        case .unknownOperation:
            code = .misuse
            description = "the operation is not known to this scheduler any more"
        case .alreadyInQueue(let id):
            code = .misuse
            description = "'\(name(id))' is already in a queue"
        case .alreadyExecuting(let id):
            code = .misuse
            description = "'\(name(id))' has already started"
        case .alreadyFinished(let id):
            code = .misuse
            description = "'\(name(id))' has already finished"
        case .isGate(let id):
            code = .misuse
            description =
                "'\(name(id))' is a gate: it is in no queue, and ends by 'finish', 'fail' or 'cancel'"
        case .notReady(let id):
            code = .misuse
            description = "'\(name(id))' is not ready: it waits for its dependencies"
        case .unknownResource(let id, let resource):
            code = .argument
            description =
                "'\(name(id))' needs the resource '\(resource)', which was never set"
        case .notEnoughResource(let id, let resource, let needed, let total):
            code = .argument
            description =
                "'\(name(id))' needs \(needed) of the resource '\(resource)', but there are only \(total) in all"
        case .unknownQueue:
            code = .misuse
            description = "the queue is not known to this scheduler"
        case .repeatedInList(let id):
            code = .misuse
            description = "'\(name(id))' stands twice in the list"
        case .notStarted(let id):
            code = .misuse
            description = "'\(name(id))' has not started, so it cannot be ended; cancel it instead"
        }
    }
}
