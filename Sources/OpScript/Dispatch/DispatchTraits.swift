internal import Scheduling

/// The properties that only dispatch queues have.
final class DispatchTraits {
    enum Shape {
        case serial, concurrent
        /// One of the global queues.
        case global
    }

    let shape: Shape
    /// The queue under which this queue's operations run.
    var target: ScriptQueue?
    /// Whether its class was given when it was made; otherwise it has the class of its target.
    var hasOwnQuality = false
    /// How often it was suspended and not resumed.
    var suspendCount = 0

    init(_ shape: Shape) { self.shape = shape }
}

extension ScriptQueue {
    /// Whether it runs one body after the other.
    var isSerial: Bool { kind == .main || dispatch?.shape == .serial }

    /// Whether it is one of the global queues.
    var isGlobal: Bool { dispatch?.shape == .global }

    /// Its name as a dispatch queue.
    var label: String { kind == .main ? "com.apple.main-thread" : name }

    /// The queue, its target, the target's target, and so on.
    var targetChain: [ScriptQueue] {
        var chain = [self]
        while let next = chain[chain.count - 1].dispatch?.target { chain.append(next) }
        return chain
    }
}
