internal import Synchronization

/// All works of an engine, by name. From any thread.
final class WorkCatalogue: Sendable {
    private let state = Mutex(State())
    private let revisionCount = Atomic<Int>(0)

    private let exposedCount = Atomic<Int>(0)
    private let registeredCount = Atomic<Int>(0)

    /// Guarded by `state`.
    private struct State {
        var definitions: [WorkDefinition] = []
        var indices: [String: Int] = [:]
        /// For the first word of each name: the function that registers the works below that word, until one of
        /// them is looked up.
        var groups: [String: @Sendable () -> Void] = [:]
        /// Types whose instances scripts may use, in the order in which they were exposed.
        var exposedTypes: [ExposedType] = []
        /// Functions that scripts call on the script thread, in the order in which they were registered.
        var functions: [RegisteredFunction] = []
        /// The first invalid registration.
        var problem: ScriptError?
        /// The parts of names in front of dots, at any depth, each with a name below it.
        var prefixes: [String: String] = [:]

        /// The reason why a name is not available; nil if it is available.
        func obstacle(to name: String, replaces: Bool) -> String? {
            if name == "describe" { return "'describe' cannot be a work: 'work.describe' describes works" }
            if indices[name] != nil {
                return replaces
                    ? nil : "'\(name)' is registered already: pass 'replacing: true' to replace it"
            }
            if let other = prefixes[name] { return "the work '\(name)' would hide '\(other)'" }
            if let other = WorkCatalogue.prefixes(of: name).first(where: { indices[$0] != nil }) {
                return "the work '\(other)' hides '\(name)'"
            }
            return nil
        }
    }

    /// `a.b.c` lies below `a` and `a.b`.
    fileprivate static func prefixes(of name: String) -> [String] {
        name.indices.filter { name[$0] == "." }.map { String(name[..<$0]) }
    }

    /// Arranges to call `register`, on any thread, before the first lookup of a work whose name is below `prefix`.
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

    /// Adds a work. If its name is taken, the new work replaces the earlier one for new operations, or is a
    /// problem.
    func add(_ definition: WorkDefinition, replaces: Bool) {
        // A work of the same name in a group is registered before this one, not after it.
        registerGroup(of: definition.name)
        state.withLock { state in
            if let problem = state.obstacle(to: definition.name, replaces: replaces) {
                if state.problem == nil { state.problem = ScriptError(.misuse, problem) }
                return
            }
            if let index = state.indices[definition.name] {
                state.definitions[index] = definition
            } else {
                state.definitions.append(definition)
                state.indices[definition.name] = state.definitions.count - 1
                for prefix in Self.prefixes(of: definition.name) { state.prefixes[prefix] = definition.name }
            }
            revisionCount.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Adds a type, with the works of its `async` methods; a type whose name is taken is a problem.
    func add(_ type: ExposedType, _ definitions: [WorkDefinition]) {
        let isNew = state.withLock { state in
            if state.exposedTypes.contains(where: { $0.name == type.name || $0.identity == type.identity }) {
                if state.problem == nil {
                    state.problem = ScriptError(.misuse, "the type '\(type.name)' is exposed already")
                }
                return false
            }
            state.exposedTypes.append(type)
            return true
        }
        guard isNew else { return }
        for definition in definitions { add(definition, replaces: false) }
        exposedCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Adds a function; one whose name is taken is a problem.
    func add(_ function: RegisteredFunction) {
        let isNew = state.withLock { state in
            if !function.replaces, state.functions.contains(where: { $0.name == function.name }) {
                if state.problem == nil {
                    state.problem = ScriptError(
                        .misuse,
                        "the function '\(function.name)' is registered already: pass 'replacing: true' to replace it"
                    )
                }
                return false
            }
            state.functions.append(function)
            return true
        }
        if isNew { registeredCount.wrappingAdd(1, ordering: .releasing) }
    }

    /// The number of functions, read without the lock.
    var functionCount: Int { registeredCount.load(ordering: .acquiring) }

    /// All functions, in the order in which they were registered.
    var functions: [RegisteredFunction] { state.withLock { $0.functions } }

    /// The number of types, read without the lock.
    var exposedTypeCount: Int { exposedCount.load(ordering: .acquiring) }

    /// All types, in the order in which they were exposed.
    var exposedTypes: [ExposedType] { state.withLock { $0.exposedTypes } }

    /// The reason why nothing runs: the first invalid registration.
    var problem: ScriptError? { state.withLock { $0.problem } }

    func note(_ problem: ScriptError) {
        state.withLock { if $0.problem == nil { $0.problem = problem } }
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
        // Methods of host objects are not works.
        return state.withLock { state in state.indices.keys.filter { !$0.contains(":") }.sorted() }
    }

    /// Whether names begin with `prefix` and a dot.
    func hasNames(below prefix: String) -> Bool {
        registerGroup(of: prefix)
        return state.withLock { $0.indices.keys.contains { $0.hasPrefix(prefix + ".") } }
    }
}
