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
        var isLoaded = false
        var bodies: [[UInt8]: Held] = [:]
        var lastBatch = 0
    }

    private let state = Mutex(State())

    /// Reads the folder of the run, once.
    func load(_ folder: SharedFolder) {
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            let failed = folder.failed()
            for (batch, keys) in folder.batches() {
                state.lastBatch = max(state.lastBatch, batch)
                for (index, key) in keys.enumerated() {
                    let place = BatchPlace(batch: batch, index: index)
                    guard let key, !failed.contains(place) else { continue }
                    // The last attempt counts.
                    if let other = state.bodies[key], other.place.batch > batch { continue }
                    state.bodies[key] = Held(place: place, count: keys.count)
                }
            }
        }
    }

    func holds(_ key: [UInt8]) -> Bool { state.withLock { $0.bodies[key] != nil } }

    /// Takes a body: it is awaited once.
    func take(_ key: [UInt8]) -> Held? { state.withLock { $0.bodies.removeValue(forKey: key) } }

    /// The number of the last batch of earlier runs; 0 for none.
    var lastBatch: Int { state.withLock { $0.lastBatch } }
}
