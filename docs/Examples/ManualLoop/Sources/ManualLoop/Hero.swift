import Synchronization

/// A character that the script moves and the loop draws.
final class Hero: Sendable {
    private let place = Mutex(0)

    var x: Int { place.withLock { $0 } }

    func move(_ distance: Int) { place.withLock { $0 += distance } }
}
