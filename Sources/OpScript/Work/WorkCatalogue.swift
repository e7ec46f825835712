internal import Synchronization

/// All works of an engine, by name. From any thread.
final class WorkCatalogue: Sendable {
    private let state = Mutex(State())
    private let revisionCount = Atomic<Int>(0)

    /// Guarded by `state`.
    private struct State {
        var definitions: [WorkDefinition] = []
        var indices: [String: Int] = [:]
        /// What registers the works whose names begin with a word and a dot, until somebody asks for one of them.
        var groups: [String: @Sendable () -> Void] = [:]
    }

    /// Has `register` called, on any thread, before the first look at a work whose name begins with `prefix` and a dot.
    func addGroup(_ prefix: String, _ register: @escaping @Sendable () -> Void) {
        state.withLock { $0.groups[prefix] = register }
    }

    /// Registers the works of the group that a name belongs to.
    private func registerGroup(of name: String) {
        let prefix = name.prefix { $0 != "." }
        state.withLock { $0.groups.isEmpty ? nil : $0.groups.removeValue(forKey: String(prefix)) }?()
    }

    private func registerAllGroups() {
        let groups = state.withLock { state in
            defer { state.groups = [:] }
            return state.groups
        }
        for register in groups.values { register() }
    }

    /// Adds a work; under a name that is taken it replaces the one before for new operations.
    func add(_ definition: WorkDefinition) {
        // A work of the same name in a group comes before this one, not after it.
        registerGroup(of: definition.name)
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

    func index(of name: String) -> Int? {
        if let index = state.withLock({ $0.indices[name] }) { return index }
        registerGroup(of: name)
        return state.withLock { $0.indices[name] }
    }

    subscript(index: Int) -> WorkDefinition { state.withLock { $0.definitions[index] } }

    /// All names, sorted.
    var names: [String] {
        registerAllGroups()
        return state.withLock { $0.indices.keys.sorted() }
    }

    /// Whether names begin with `prefix` and a dot.
    func hasNames(below prefix: String) -> Bool {
        registerGroup(of: prefix)
        return state.withLock { $0.indices.keys.contains { $0.hasPrefix(prefix + ".") } }
    }
}
