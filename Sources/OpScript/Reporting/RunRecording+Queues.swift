internal import OpScriptRecord
internal import Scheduling

/// The settings of queues for sinks, and the objects behind the numbers of a record.
extension RunRecording {
    /// The width or the suspension of a queue has changed, or the queue is new in the record.
    func queueChanged(_ queue: ScriptQueue) {
        if !runtime.hostObjects.isSuspended(queue) { releaseSuspension(of: queue) }
        guard let index = recorder.knownQueue(Self.key(of: queue)) else { return }
        let width = runtime.hostObjects.width(of: queue)
        recorder.queueChanged(
            QueueSettings(
                queue: Int(index),
                name: link.secrets.hidden(in: queue.name),
                width: width < 0 ? nil : width,
                isSuspended: runtime.hostObjects.isSuspended(queue),
                canBeSuspended: queue.canBeSuspended
            )
        )
    }

    /// The queue with an index in the record; nil if nothing holds it any more.
    func queue(at index: Int) -> ScriptQueue? {
        guard let key = recorder.queueKey(at: index),
            let queue = runtime.queues.table[UInt32(key >> 32)], Self.key(of: queue) == key
        else { return nil }
        return queue
    }

    /// Notes that Swift has suspended a queue and may resume it at any time.
    func holdSuspension(of queue: ScriptQueue) {
        if heldSuspensions.insert(Self.key(of: queue)).inserted { link.hold() }
    }

    /// Notes that a queue is not suspended any more.
    func releaseSuspension(of queue: ScriptQueue) {
        if heldSuspensions.remove(Self.key(of: queue)) != nil { link.letGo() }
    }

    /// The run is over: nothing is resumed any more.
    func releaseSuspensions() {
        for _ in heldSuspensions { link.letGo() }
        heldSuspensions = []
    }

    private static func key(of queue: ScriptQueue) -> UInt64 {
        UInt64(queue.id.index) << 32 | UInt64(queue.number)
    }
}

extension ScriptQueue {
    /// Whether a script could suspend it.
    var canBeSuspended: Bool {
        switch kind {
        case .main, .inner: false
        case .ordinary, .standard: true
        case .dispatch: !isGlobal
        case .native: submitOnlyName == nil
        }
    }
}
