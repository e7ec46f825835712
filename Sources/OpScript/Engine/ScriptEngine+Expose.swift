extension ScriptEngine {
    /// Lets scripts use the instances of a class or an actor: as values, with the members that `declare`
    /// declares.
    ///
    /// An instance reaches a script as the result of a closure, by ``set(_:_:)``, as an argument of a call, or by an
    /// initializer, which the script finds under the type's name. As long as a script has the instance, it stays alive
    /// and is the same Lua value each time. Once no script has it and the garbage has been collected, Lua releases it.
    /// A function that an instance keeps (``ScriptFunction``) is not collected with it: the host has to break a
    /// reference cycle through one.
    ///
    /// ```swift
    /// engine.expose(Counter.self) { type in
    ///     type.initializer { (start: Int) in Counter(start) }
    ///     type.property("value") { $0.value }
    ///     type.method("add") { (counter: Counter, amount: Int) in counter.add(amount) }
    ///     type.implement(.length) { (counter: Counter) in counter.value }
    /// }
    /// ```
    /// ```lua
    /// local counter = Counter(5)
    /// counter:add(3)
    /// print(counter.value, #counter)
    /// ```
    /// Call it before a script uses the type, from any thread. If the declaration is invalid (a name that is taken, a
    /// duplicate member, a type that cannot cross), the next request of the host throws the error, as for `register`.
    /// - Parameters:
    ///   - type: The class; instances of subclasses have its members too, unless they are exposed themselves.
    ///   - name: Its name in scripts; default: its name in Swift.
    ///   - declare: Declares the members that scripts may use.
    public func expose<Object: AnyObject & Sendable>(
        _ type: Object.Type,
        as name: String? = nil,
        _ declare: (inout ScriptTypeBuilder<Object>) -> Void
    ) {
        let name = name ?? String(describing: type)
        var builder = ScriptTypeBuilder<Object>(name: name)
        declare(&builder)
        if let problem = builder.problem { return catalogue.note(problem) }
        guard Self.isName(name), !name.contains(".") else {
            return catalogue.note(
                ScriptError(.misuse, "'\(name)' is not a name for a type: use letters, digits and '_'")
            )
        }
        let exposed = ExposedType(
            name: name,
            identity: ObjectIdentifier(type),
            isInstance: { $0 is Object },
            members: builder.members,
            functions: builder.functions,
            initializer: builder.initializer,
            operators: builder.operators,
            weight: builder.weight
        )
        catalogue.add(exposed, builder.definitions)
    }
}
