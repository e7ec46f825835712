extension ScriptEngine {
    /// The text with `•••` in place of each value that a script has passed to `secret`, and of the values that the
    /// ``Configuration`` names.
    ///
    /// Texts of the engine have none. This is for texts of the host, such as a line of its log with an argument of a
    /// closure:
    ///
    /// ```swift
    /// logger.info("\(engine.hidingSecrets(in: "fetching \(url)"))")
    /// ```
    ///
    /// Call it from any thread.
    public func hidingSecrets(in text: String) -> String { secrets.hidden(in: text) }
}
