/// Something that happened to an operation or a timer of a script.
public struct ScriptEvent: Sendable, Equatable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// The operation was added to a queue, or started by hand.
        case added
        /// All dependencies of the operation are released.
        case ready
        /// An attempt has begun to execute.
        case started
        /// The operation has ended.
        case finished(ScriptOperation.Outcome)
        /// The operation was cancelled, or its time ran out; its end follows later.
        case cancelled
        /// A timer has fired.
        case fired
        /// This many events before this one were dropped, because the subscriber did not take them.
        case lost(Int)
    }

    /// The kind of the event.
    public var kind: Kind
    /// The operation's name; `"timer"` for a timer.
    public var name: String
    /// Distinguishes operations, even those with the same name, and timers; the same engine never reuses it. 0 for lost
    /// events.
    public var identity: UInt64
    /// When the script thread learned of it, in seconds on the engine's clock.
    public var time: Double

    /// Makes an event.
    public init(_ kind: Kind, name: String, identity: UInt64, time: Double) {
        self.kind = kind
        self.name = name
        self.identity = identity
        self.time = time
    }
}

extension ScriptEngine {
    /// The events of the operations and timers of scripts, from now on.
    ///
    /// Each call makes a separate subscriber, which receives every event in the order in which the script
    /// thread learned of it. The sequence ends when the engine has been shut down and is closed. Events wait
    /// in a buffer; a buffer with more than a hundred thousand events drops the oldest and reports how many
    /// (``ScriptEvent/Kind/lost(_:)``). A script never waits for a subscriber. Without a subscriber, events
    /// cost nothing. Call it from any thread.
    ///
    /// ```swift
    /// let events = engine.events
    /// Task {
    ///     for await event in events { print(event.kind, event.name) }
    /// }
    /// ```
    public var events: ScriptEvents { ScriptEvents(link.events.subscribe()) }
}

/// The events of an engine, as ``ScriptEngine/events`` returns them; iterate them only once.
public struct ScriptEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ScriptEvent
    /// Iterating never fails.
    public typealias Failure = Never

    private let subscription: BatchSubscription<EventBatch>

    init(_ subscription: BatchSubscription<EventBatch>) { self.subscription = subscription }

    /// Begins to take events, starting with the first event after the sequence was created.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription) }

    /// Takes one event after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: BatchSubscription<EventBatch>
        /// The batches after the current one, the next one last.
        private var batches: [EventBatch] = []
        @usableFromInline var batch: EventBatch?
        @usableFromInline var place = 0
        @usableFromInline var end = 0

        init(_ subscription: BatchSubscription<EventBatch>) { self.subscription = subscription }

        /// The next event, as soon as there is one; nil at the end, and when the task is cancelled.
        @inlinable
        public mutating func next() async -> ScriptEvent? { await next(isolation: nil) }

        /// The same, without leaving the calling actor if an event is already there.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ScriptEvent? {
            if place == end { await fetch(actor) }
            guard place < end, let batch else { return nil }
            place += 1
            return batch.event(at: place - 1)
        }

        /// Moves on to the next batch, as soon as there is one; at the end there is none.
        @usableFromInline
        mutating func fetch(_ actor: isolated (any Actor)?) async {
            place = 0
            end = 0
            while end == 0 {
                if batches.isEmpty {
                    guard let more = await subscription.next() else { return batch = nil }
                    batches = more.batches.reversed()
                    if more.lost > 0, let first = batches.last {
                        batches.append(EventBatch(lost: more.lost, at: first.firstMoment))
                    }
                }
                batch = batches.popLast()
                end = batch?.count ?? 0
            }
        }
    }
}
