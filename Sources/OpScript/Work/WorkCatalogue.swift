internal import Synchronization

/// All works of an engine, by name. From any thread.
final class WorkCatalogue: Sendable {
    private let state = Mutex(State())
    private let revisionCount = Atomic<Int>(0)

    /// Guarded by `state`.
    private struct State {
        var definitions: [WorkDefinition] = []
        var indices: [String: Int] = [:]
    }

    /// Adds a work; under a name that is taken it replaces the one before for new operations.
    func add(_ definition: WorkDefinition) {
        state.withLock { state in
            if let index = state.indices[definition.name] {
                state.definitions[index] = definition
            } else {
                state.definitions.append(definition)
                state.indices[definition.name] = state.definitions.count - 1
            }
            revisionCount.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Changes whenever something is added.
    var revision: Int { revisionCount.load(ordering: .acquiring) }

    /// All definitions, by index.
    var definitions: [WorkDefinition] { state.withLock { $0.definitions } }

    func index(of name: String) -> Int? { state.withLock { $0.indices[name] } }

    subscript(index: Int) -> WorkDefinition { state.withLock { $0.definitions[index] } }

    /// All names, sorted.
    var names: [String] { state.withLock { $0.indices.keys.sorted() } }

    /// Whether names begin with `prefix` and a dot.
    func hasNames(below prefix: String) -> Bool {
        state.withLock { $0.indices.keys.contains { $0.hasPrefix(prefix + ".") } }
    }
}
