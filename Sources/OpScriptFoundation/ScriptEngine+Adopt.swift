public import Dispatch
public import Foundation
public import OpScript

extension ScriptEngine {
    /// Lets scripts put operations into a Foundation queue, which they get by `OperationQueue.named(name)`.
    ///
    /// Native code sees each of them as an `Operation` in `queue.operations`, from the moment at which the script adds
    /// it. The queue decides when it starts, by its width, its suspension and the operation's priority. Swift closures
    /// run on the queue's threads; a Lua function runs on the script thread while the native operation executes.
    /// Cancelling on either side cancels on the other. Scripts never reach operations of the host or of another engine.
    /// The engine holds the queue. From any thread.
    ///
    /// ```swift
    /// let network = OperationQueue()
    /// network.maxConcurrentOperationCount = 2
    /// try engine.adopt(network, as: "host.network")
    /// ```
    /// - Parameters:
    ///   - queue: A queue of the host. Other engines may adopt it as well.
    ///   - name: The name by which scripts find it.
    ///   - access: The access of scripts. With `QueueAccess.full`, the end of the engine undoes a width and
    ///     a suspension that scripts have set, unless the host or another engine has set them since.
    /// - Throws: `ScriptError` with code `misuse` for an empty name, and for one that is taken.
    public func adopt(_ queue: OperationQueue, as name: String, access: QueueAccess = .submitOnly)
        throws(ScriptError)
    {
        try adopt(AdoptedOperationQueue(queue), named: name, access: access)
    }

    /// The same for a dispatch queue: first in, first out, in the order in which operations become ready.
    ///
    /// - Parameters:
    ///   - queue: A queue of the host. Other engines may adopt it as well.
    ///   - name: The name by which scripts find it.
    ///   - access: The access of scripts. With `QueueAccess.full`, they may also suspend it, until the
    ///     engine ends.
    /// - Throws: `ScriptError` with code `misuse` for an empty name, and for one that is taken.
    public func adopt(_ queue: DispatchQueue, as name: String, access: QueueAccess = .submitOnly)
        throws(ScriptError)
    {
        try adopt(AdoptedDispatchQueue(queue), named: name, access: access)
    }
}
