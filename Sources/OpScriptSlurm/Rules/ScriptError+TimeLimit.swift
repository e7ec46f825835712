internal import OpScript

extension ScriptError {
    /// A body has reached the time limit of its operation, which its worker watches.
    static func timedOut(_ name: String, after seconds: Double) -> ScriptError {
        ScriptError(.timeout, "'\(name)' timed out after \(format(seconds: seconds)) s")
    }
}
