internal import Scheduling
internal import Synchronization
internal import Tracing

/// The Swift closure of one operation, with its arguments, and what became of it.
///
/// It is itself the box in which those who take its result as an argument look.
final class WorkBody: ResultBox, OperationBody, @unchecked Sendable {
    // @unchecked because what changes is behind `state`, as in the superclass.

    let definition: WorkDefinition
    /// As the script gave them; operations among them stand for their results.
    let arguments: ArgumentList
    /// Whether results of other operations are among the arguments.
    let takesOperations: Bool
    // nonisolated(unsafe) because it is set before the operation is handed to a worker, and read by that worker.
    /// What the closure finds as the present context: the span of its operation; nil where nobody traces.
    nonisolated(unsafe) var serviceContext: ServiceContext?
    private let state = Mutex(State())

    /// Guarded by `state`; used only for closures that are async or want to know of their operation.
    private struct State {
        var context: WorkContext?
        var task: Task<ScriptValue, any Error>?
        var isCancelled = false
        var attempt = 0
        var reportHandler: (@Sendable () -> Void)?
    }

    init(_ definition: WorkDefinition, _ arguments: ArgumentList, takesOperations: Bool) {
        self.definition = definition
        self.arguments = arguments
        self.takesOperations = takesOperations
    }

    /// How far the attempt has come; 0 before it starts.
    var fractionCompleted: Double {
        state.withLock { $0.context?.progress.fractionCompleted ?? 0 }
    }

    var progressCounts: (completed: Int64, total: Int64) {
        state.withLock {
            ($0.context?.progress.completedUnitCount ?? 0, $0.context?.progress.totalUnitCount ?? 0)
        }
    }

    /// Has `handler` called once, when the closure reports progress next; also when only a later attempt does.
    func observeProgress(_ handler: @escaping @Sendable () -> Void) {
        let context = state.withLock { state in
            state.reportHandler = handler
            return state.context
        }
        context?.onReport(handler)
    }

    /// What the closure takes, with a context of its own for this attempt where it wants one.
    private func begin() throws -> WorkArguments {
        var values = arguments
        if takesOperations {
            values = ArgumentList(try arguments.values.map { try $0.filledIn() })
            try definition.refuseMore(values)
        }
        guard definition.takesContext || definition.isAsync else { return WorkArguments(values, nil) }
        let context = state.withLock { state in
            state.attempt += 1
            state.task = nil
            let context = WorkContext(name: definition.name, attempt: state.attempt)
            state.context = context
            // Told after the attempt was handed out, and before it got here.
            if state.isCancelled { context.cancel() }
            if let handler = state.reportHandler { context.onReport(handler) }
            return context
        }
        return WorkArguments(values, context)
    }

    func execute() throws {
        guard case .sync(let body) = definition.body else {
            preconditionFailure("'\(definition.name)' is async and was given to a worker")
        }
        defer { letGoOfContext() }
        let value: ScriptValue
        if let serviceContext {
            value = try ServiceContext.withValue(serviceContext) { try body(begin()) }
        } else {
            value = try body(begin())
        }
        if case .object(let object) = value, let results = object as? ResultList {
            set(results.values.first ?? .nil, all: results.values)
        } else {
            set(value)
        }
    }

    /// A context that reported no progress is of no use after the attempt: it goes where it was made.
    private func letGoOfContext() {
        guard definition.takesContext else { return }
        let context = state.withLock { state -> WorkContext? in
            state.isCancelled = false
            guard let context = state.context, context.progress.totalUnitCount == 0 else { return nil }
            state.context = nil
            return context
        }
        _ = consume context
    }

    func executeAsTask() async throws {
        guard case .async(let body) = definition.body else { return try execute() }
        defer { state.withLock { $0.isCancelled = false } }
        let arguments = try begin()
        let task = state.withLock { state in
            let task = makeTask(body, arguments)
            state.task = task
            if state.isCancelled { task.cancel() }
            return task
        }
        set(try await task.value)
    }

    private func makeTask(
        _ body: @escaping @Sendable (WorkArguments) async throws -> ScriptValue,
        _ arguments: WorkArguments
    ) -> Task<ScriptValue, any Error> {
        guard let serviceContext else { return Task { try await body(arguments) } }
        return ServiceContext.withValue(serviceContext) { Task { try await body(arguments) } }
    }

    func cancelExecution() {
        guard definition.takesContext || definition.isAsync else { return }
        let (context, task) = state.withLock { state in
            state.isCancelled = true
            return (state.context, state.task)
        }
        context?.cancel()
        task?.cancel()
    }
}

/// Where the result of an operation is found by Swift closures that take it as an argument.
class ResultBox: ScriptObject, @unchecked Sendable {
    // @unchecked because all that changes is behind `content`.
    static let scriptTypeName = "operation"
    static let scriptPropertyNames: [String] = []

    private enum Content {
        case empty
        case value(ScriptValue)
        /// Several; the first is what others get.
        case values([ScriptValue])
        case refused(ScriptConversionError)
        /// The results of the blocks of a block operation.
        case parts([ResultBox])
    }

    private let content = Mutex(Content.empty)

    func scriptProperty(_ name: String) -> ScriptValue? { nil }

    func set(_ value: ScriptValue) { content.withLock { $0 = .value(value) } }

    /// Sets the first of several results, and all of them.
    func set(_ value: ScriptValue, all: [ScriptValue]) {
        content.withLock { $0 = all.count > 1 ? .values(all) : .value(value) }
    }

    func refuse(_ error: ScriptConversionError) { content.withLock { $0 = .refused(error) } }

    func compose(_ parts: [ResultBox]) { content.withLock { $0 = .parts(parts) } }

    /// The result; nil where there is none (yet).
    func value() throws(ScriptConversionError) -> ScriptValue {
        let content = content.withLock { $0 }
        switch content {
        case .empty: return .nil
        case .value(let value): return value
        case .values(let values): return values[0]
        case .refused(let error): throw error
        case .parts(let parts):
            var values: [ScriptValue] = []
            for part in parts { values.append(try part.value()) }
            return .array(values)
        }
    }

    /// Takes the value out, for the script thread, which alone reads it from then on.
    func peek() -> ScriptValue? {
        content.withLock {
            if case .value(let value) = $0 { return value }
            return nil
        }
    }

    /// All results, where there are several.
    func peekAll() -> [ScriptValue]? {
        content.withLock {
            if case .values(let values) = $0 { return values }
            return nil
        }
    }
}

/// Several results of one body.
final class ResultList: ScriptObject {
    static let scriptTypeName = "results"
    static let scriptPropertyNames: [String] = []
    let values: [ScriptValue]

    init(_ values: [ScriptValue]) { self.values = values }

    func scriptProperty(_ name: String) -> ScriptValue? { nil }
}

extension ScriptValue {
    /// The value with every operation in it replaced by its result.
    func filledIn() throws(ScriptConversionError) -> ScriptValue {
        switch self {
        case .object(let object):
            guard let box = object as? ResultBox else { return self }
            return try box.value()
        case .array(let elements):
            var result: [ScriptValue] = []
            result.reserveCapacity(elements.count)
            for element in elements { result.append(try element.filledIn()) }
            return .array(result)
        case .table(let table):
            var entries = table.entries
            for index in entries.indices { entries[index].value = try entries[index].value.filledIn() }
            return .table(ScriptTable(entries))
        default:
            return self
        }
    }
}
