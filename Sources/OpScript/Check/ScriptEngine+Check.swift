internal import LuaVM
internal import Synchronization

/// The findings of ``ScriptEngine/check(code:named:)`` in a script that compiles.
public struct ScriptCheck: Sendable {
    /// An undefined name.
    public struct UndefinedName: Sendable, Equatable, CustomStringConvertible {
        /// A global (`pritn`), or a work with its path (`work.image.raed`).
        public var name: String
        /// The line where the script reads it, from 1.
        public var line: Int
        /// A name that exists and was most likely meant.
        public var suggestion: String?

        /// `line 3: 'pritn' is undefined (did you mean 'print'?)`
        public var description: String {
            "line \(line): '\(name)' is undefined" + (suggestion.map { " (did you mean '\($0)'?)" } ?? "")
        }
    }

    /// Globals that the script reads and that neither it nor the engine sets, and works that are not registered; each
    /// name once, in the order of the text.
    ///
    /// A script may set globals in ways that no check sees (`_G[name] = …`, a module), so the findings are
    /// advice, not errors.
    public var undefinedNames: [UndefinedName] = []
}

extension ScriptEngine {
    /// Compiles a script without running it.
    ///
    /// If the engine runs a script, the check happens between two turns.
    /// - Parameters:
    ///   - code: The text of a script.
    ///   - name: The name in error messages: `@job.lua` for a file, `=name` for anything else.
    /// - Throws: ``ScriptError`` with code `syntax` and the ``ScriptError/line`` if it does not compile, `limit` if it
    ///   is too large for ``Configuration/memoryLimit``, `misuse` for an invalid registration, `host` after the
    ///   engine's end.
    /// - Complexity: O(*n*) in the length of the text.
    public func check(code: String, named name: String = "=code") async throws -> ScriptCheck {
        try validate()
        let bytes = Array(code.utf8)
        let catalogue = catalogue
        let result = Mutex(ScriptCheck())
        _ = try await send(.nothing) { runtime, ask in
            ask.answer(
                runtime.run.answer {
                    try runtime.vm.load(bytes, name: name)
                    runtime.vm.main.pop()
                    let found = runtime.globals.undefinedNames(FreeNames(bytes), catalogue)
                    result.withLock { $0.undefinedNames = found }
                    return .nil
                }
            )
        }
        return result.withLock { $0 }
    }

    /// Throws an error if one of the registrations so far is invalid: the name is taken, or a type cannot
    /// cross.
    ///
    /// Every run, call and evaluation would throw the same. Call it from any thread, once everything is registered.
    /// - Throws: ``ScriptError`` with code `misuse`: the first invalid registration.
    public func validate() throws {
        if let problem = catalogue.problem { throw problem }
    }
}

extension ScriptGlobals {
    /// The undefined names.
    fileprivate func undefinedNames(
        _ names: FreeNames,
        _ catalogue: WorkCatalogue
    ) -> [ScriptCheck.UndefinedName] {
        let state = vm.main
        let known = globalNames(state)
        var seen: Set<String> = []
        var result: [ScriptCheck.UndefinedName] = []
        func note(_ name: String, _ line: Int, _ suggestion: String?) {
            guard seen.insert(name).inserted else { return }
            result.append(.init(name: name, line: line, suggestion: suggestion))
        }
        for use in names.uses where !names.assigned.contains(use.name) {
            if !known.contains(use.name) {
                note(use.name, use.line, nearestName(to: use.name, among: known.union(names.assigned)))
            } else if use.name == "work", let work = unknownWork(use.path, catalogue) {
                let near = nearestName(to: work, among: catalogue.names)
                note("work.\(work)", use.line, near.map { "work.\($0)" })
            }
        }
        return result
    }

    /// The part of a path behind `work` that is neither a work nor a group of works; nil if all of it is
    /// known.
    private func unknownWork(_ path: [String], _ catalogue: WorkCatalogue) -> String? {
        var name = ""
        for word in path {
            name += name.isEmpty ? word : ".\(word)"
            if name == "describe" || catalogue.index(of: name) != nil { return nil }
            if !catalogue.hasNames(below: name) { return name }
        }
        return nil
    }

    private func globalNames(_ state: LuaState) -> Set<String> {
        // A run sets `arg`.
        var names: Set<String> = ["arg"]
        state.pushGlobals()
        state.pushNil()
        while state.nextUnchecked(-2) {
            state.pop()
            if state.type(-1) == .string, let name = state.string(-1) { names.insert(name) }
        }
        state.pop()
        return names
    }
}
