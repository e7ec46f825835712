public import Dispatch
public import Foundation
public import OpScript

extension ScriptEngine {
    /// Lets scripts put operations into a Foundation queue, which they get by `OperationQueue.named(name)`.
    ///
    /// Native code sees each of them as an `Operation` in `queue.operations`, from the moment at which the script adds
    /// it. The queue decides when it starts: its width, suspension, and the operation's priority count. Swift closures
    /// run on the queue's threads; a Lua function runs on the script thread while the native operation executes.
    /// Cancelling on either side cancels on the other. The engine holds the queue. From any thread.
    ///
    /// ```swift
    /// let network = OperationQueue()
    /// network.maxConcurrentOperationCount = 2
    /// try engine.adopt(network, as: "host.network")
    /// ```
    /// - Throws: ``ScriptError`` with code `misuse` for an empty name, and for one that is taken.
    public func adopt(_ queue: OperationQueue, as name: String) throws(ScriptError) {
        try adopt(AdoptedOperationQueue(queue), named: name)
    }

    /// The same for a dispatch queue: first in, first out, in the order in which operations become ready.
    ///
    /// - Throws: ``ScriptError`` with code `misuse` for an empty name, and for one that is taken.
    public func adopt(_ queue: DispatchQueue, as name: String) throws(ScriptError) {
        try adopt(AdoptedDispatchQueue(queue), named: name)
    }
}
