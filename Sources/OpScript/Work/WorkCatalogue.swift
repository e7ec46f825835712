internal import Synchronization

/// All works of an engine, by name. From any thread.
final class WorkCatalogue: Sendable {
    private let state = Mutex(State())

    /// Guarded by `state`.
    private struct State {
        var definitions: [WorkDefinition] = []
        var indices: [String: Int] = [:]
        var revision = 0
    }

    /// Adds a work; under a name that is taken it replaces the one before for new operations.
    func add(_ definition: WorkDefinition) {
        state.withLock { state in
            state.definitions.append(definition)
            state.indices[definition.name] = state.definitions.count - 1
            state.revision += 1
        }
    }

    /// Changes whenever something is added.
    var revision: Int { state.withLock { $0.revision } }

    func index(of name: String) -> Int? { state.withLock { $0.indices[name] } }

    subscript(index: Int) -> WorkDefinition { state.withLock { $0.definitions[index] } }

    /// All names, sorted.
    var names: [String] { state.withLock { $0.indices.keys.sorted() } }

    /// Whether names begin with `prefix` and a dot.
    func hasNames(below prefix: String) -> Bool {
        state.withLock { $0.indices.keys.contains { $0.hasPrefix(prefix + ".") } }
    }
}
