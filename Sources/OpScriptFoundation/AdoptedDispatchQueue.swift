internal import Dispatch
internal import OpScript
internal import Scheduling
internal import Synchronization

/// A dispatch queue of the host that scripts reach by name.
///
/// Bodies have their turn in the order in which they became ready; priorities do not count. A Lua function or
/// an `async` closure runs elsewhere. It keeps its place in the queue until it has ended: its block waits.
final class AdoptedDispatchQueue: AdoptedQueue {
    private struct Suspension {
        /// Whether a script suspended the queue.
        var isOn = false
        /// Whether the engine has ended.
        var isClosed = false
    }

    private let queue: DispatchQueue
    /// The group of each attempt, from the moment when the attempt is ready until it leaves.
    private let blocks = Mutex<[ObjectIdentifier: DispatchGroup]>([:])
    private let suspension = Mutex(Suspension())

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    deinit {
        // Releasing the last reference to a suspended queue would end the process.
        close()
    }

    // MARK: Operations of scripts

    func added(_ ticket: ExternalTicket) {}

    func becameReady(_ ticket: ExternalTicket) {
        let end = DispatchGroup()
        end.enter()
        blocks.withLock { $0[ObjectIdentifier(ticket)] = end }
        let mayWait = !isMain
        let quality = ticket.qualityOfService.map { DispatchQoS($0) } ?? .unspecified
        queue.async(qos: quality) { [self] in
            if suspension.withLock({ $0.isClosed }) { return }
            ticket.run()
            if mayWait { end.wait() }
        }
    }

    func priorityChanged(_ ticket: ExternalTicket, to priority: OperationPriority) {}

    func cancelled(_ ticket: ExternalTicket) {}

    func left(_ ticket: ExternalTicket) {
        blocks.withLock { $0.removeValue(forKey: ObjectIdentifier(ticket)) }?.leave()
    }

    // MARK: Its properties

    /// libdispatch does not report whether a queue is serial.
    var maxConcurrentOperationCount: Int { -1 }

    func setMaxConcurrentOperationCount(_ count: Int) throws(ScriptError) {
        throw ScriptError(
            .misuse,
            "a dispatch queue has no width that could be changed; the host made it serial or concurrent"
        )
    }

    /// Whether a script suspended it. libdispatch does not report whether the host has suspended it.
    var isSuspended: Bool { suspension.withLock { $0.isOn } }

    func setSuspended(_ isSuspended: Bool) throws(ScriptError) {
        if isMain || queue.label.hasPrefix("com.apple.root.") {
            throw ScriptError(.misuse, "the main queue and global dispatch queues cannot be suspended")
        }
        // libdispatch counts suspensions, and one resume too many ends the process, so only changes are
        // passed on.
        let isOpen = suspension.withLock { state in
            guard !state.isClosed else { return false }
            guard state.isOn != isSuspended else { return true }
            state.isOn = isSuspended
            if isSuspended { queue.suspend() } else { queue.resume() }
            return true
        }
        if !isOpen { throw ScriptError(.host, "the engine has ended") }
    }

    func close() {
        suspension.withLock { state in
            state.isClosed = true
            guard state.isOn else { return }
            state.isOn = false
            queue.resume()
        }
    }

    /// The executor's thread may be the one that a body needs.
    private var isMain: Bool { queue.label == "com.apple.main-thread" }
}

extension DispatchQoS {
    fileprivate init(_ quality: OperationQualityOfService) {
        self =
            switch quality {
            case .background: .background
            case .utility: .utility
            case .default: .default
            case .userInitiated: .userInitiated
            case .userInteractive: .userInteractive
            }
    }
}
