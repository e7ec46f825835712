/// A closure whose run is recorded, or that declares files.
extension WorkBody {
    /// Calls the closure, unless its results are recorded.
    func executeRecorded() throws {
        guard let ticket else { return try executeClosure() }
        var body = JournaledBody(ticket, ticket.journal, ticket.secrets)
        body.executor = remote?.executor
        if let results = try body.begin(try filledArguments(), onlyReads: definition.onlyReads) {
            return set(recorded: results)
        }
        noteKey(of: body)
        do {
            try executeClosure()
        } catch {
            body.failed(error, stop: takeStop() ? JournaledBody.stopped : nil)
            throw error
        }
        try body.succeeded(ownResults)
    }

    /// The same for the closure of a task.
    func executeRecordedAsTask(
        _ closure: @escaping @Sendable (KeptArguments) async throws -> ScriptValue
    ) async throws {
        guard let ticket else { return try await executeAsTask(closure) }
        var body = JournaledBody(ticket, ticket.journal, ticket.secrets)
        body.executor = remote?.executor
        if let results = try body.begin(try filledArguments(), onlyReads: definition.onlyReads) {
            return set(recorded: results)
        }
        noteKey(of: body)
        do {
            try await executeAsTask(closure)
        } catch {
            body.failed(error, stop: takeStop() ? JournaledBody.stopped : nil)
            throw error
        }
        try body.succeeded(ownResults)
    }

    /// Keeps the facts by which a run that continues finds the body on a cluster.
    private func noteKey(of body: JournaledBody) {
        guard remote != nil, let operation = body.operation, operation.recording != .never else { return }
        recordedKey = operation.identity
        mayAwaitEarlierBody = operation.mayAwaitEarlierBody
    }

    private func set(recorded results: [ScriptValue]) { set(results.first ?? .nil, all: results) }

    private var ownResults: [ScriptValue] { peekAll() ?? [peek() ?? .nil] }
}
