package import Scheduling
internal import Synchronization

/// A queue of the host that scripts reach by `OperationQueue.named`.
///
/// To adopt a kind of queue, conform a type: it runs operations and provides the queue's properties. All requirements
/// may be called on any thread.
package protocol AdoptedQueue: ExternalExecutor {
    /// How many operations may execute at once; -1 if there is no limit, or if it is unknown.
    var maxConcurrentOperationCount: Int { get }

    /// Changes the width of the native queue.
    /// - Throws: ``ScriptError`` if the queue has no width that can be changed.
    func setMaxConcurrentOperationCount(_ count: Int) throws(ScriptError)

    /// Whether the native queue starts no further operations.
    var isSuspended: Bool { get }

    /// Suspends or resumes the native queue.
    /// - Throws: ``ScriptError`` if that is not possible.
    func setSuspended(_ isSuspended: Bool) throws(ScriptError)

    /// The engine ends: undoes the settings of scripts, and starts no further operation of the engine.
    ///
    /// After that, nothing changes the native queue. Bodies that execute continue until they leave.
    func close()
}

/// The adopted queues of an engine, by name.
final class AdoptedQueueTable: Sendable {
    struct Item {
        let queue: any AdoptedQueue
        let access: QueueAccess
    }

    private let items = Mutex<[String: Item]>([:])

    /// Adds a queue; false if the name is taken.
    func add(_ item: Item, as name: String) -> Bool {
        items.withLock { items in
            guard items[name] == nil else { return false }
            items[name] = item
            return true
        }
    }

    subscript(name: String) -> Item? { items.withLock { $0[name] } }

    var names: [String] { items.withLock { Array($0.keys) } }

    /// The engine ends.
    func close() {
        let items = items.withLock { Array($0.values) }
        for item in items { item.queue.close() }
    }
}

extension ScriptEngine {
    /// Lets scripts reach a queue of the host as `OperationQueue.named(name)`.
    ///
    /// - Throws: ``ScriptError`` with code `misuse` for an empty name, and for one that is taken.
    package func adopt(_ queue: any AdoptedQueue, named name: String, access: QueueAccess)
        throws(ScriptError)
    {
        guard !name.isEmpty else {
            throw ScriptError(.misuse, "a queue cannot be adopted under an empty name")
        }
        guard adoptedQueues.add(.init(queue: queue, access: access), as: name) else {
            throw ScriptError(
                .misuse,
                "there is an adopted queue '\(name)' already; give this one another name"
            )
        }
    }
}
