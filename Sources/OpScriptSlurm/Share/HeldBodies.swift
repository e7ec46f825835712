internal import Synchronization

/// The bodies that an earlier run, which this one continues, has submitted: their jobs may still run, or have ended
/// meanwhile. From any thread.
final class HeldBodies: Sendable {
    /// A body, and the size of its batch.
    struct Held: Sendable {
        let place: BatchPlace
        let count: Int
    }

    private struct State {
        var bodies: [[UInt8]: Held]
    }

    private let state: Mutex<State>
    /// The number of the last batch of earlier runs; 0 for none.
    let lastBatch: Int

    /// Reads the folder of a run; nil for a run that continues none.
    init(_ folder: SharedFolder?) {
        var bodies: [[UInt8]: Held] = [:]
        let failed = folder?.failed() ?? []
        let batches = folder?.batches() ?? [:]
        for (batch, keys) in batches {
            for (index, key) in keys.enumerated() {
                let place = BatchPlace(batch: batch, index: index)
                guard let key, !failed.contains(place) else { continue }
                // The last attempt counts.
                if let other = bodies[key], other.place.batch > batch { continue }
                bodies[key] = Held(place: place, count: keys.count)
            }
        }
        lastBatch = batches.keys.max() ?? 0
        state = Mutex(State(bodies: bodies))
    }

    func holds(_ key: [UInt8]) -> Bool { state.withLock { $0.bodies[key] != nil } }

    /// Takes a body: it is awaited once.
    func take(_ key: [UInt8]) -> Held? { state.withLock { $0.bodies.removeValue(forKey: key) } }
}
