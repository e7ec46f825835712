/// The access of scripts to a queue of the host that an engine has adopted.
public enum QueueAccess: Sendable {
    /// Scripts add operations to the queue, wait for them, cancel them and observe them. Changing a property of the
    /// queue, except `userInfo`, is a Lua error with code `misuse`.
    case submitOnly
    /// Scripts also change the queue's properties. A width or suspension that they have set is undone when the engine
    /// ends.
    case full
}
