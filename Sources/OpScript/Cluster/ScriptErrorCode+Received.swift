extension ScriptError.Code {
    /// The code with a name that another process has sent.
    package init(received name: String) { self.init(name: name) }
}
