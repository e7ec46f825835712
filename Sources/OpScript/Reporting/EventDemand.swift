internal import Synchronization

/// The audiences that have any subscriber. From any thread.
final class EventDemand: Sendable {
    private let wanted = Atomic<UInt32>(0)
    private let audiences = Mutex<[ObjectIdentifier: EngineEvent.Audience]>([:])

    /// Whether events of an audience have a subscriber: one load.
    @inline(__always)
    func contains(_ audience: EngineEvent.Audience) -> Bool {
        wanted.load(ordering: .relaxed) & audience.rawValue != 0
    }

    /// An object wants the events of these audiences from now on, and no others.
    func set(_ audience: EngineEvent.Audience, of object: AnyObject) {
        audiences.withLock { audiences in
            audiences[ObjectIdentifier(object)] = audience.isEmpty ? nil : audience
            wanted.store(audiences.values.reduce(0) { $0 | $1.rawValue }, ordering: .relaxed)
        }
    }
}
