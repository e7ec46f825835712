internal import LuaVM

extension ScriptType.Property {
    /// `context`: any value that a script keeps with an object; the finalizer receives it.
    static func context() -> ScriptType.Property<Object> {
        .init(
            "context",
            { ObjectFinalizer.pushContext(of: 1, $2) },
            set: { _, value in
                ObjectFinalizer.setContext(of: value.object, from: value.index, value.state, value.runtime)
            }
        )
    }
}
