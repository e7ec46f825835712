internal import LuaVM
internal import Scheduling

/// A source of events of a script.
///
/// Its handlers are user values of its userdata, so that reference cycles through them are collected.
final class EventSource {
    let kind: any SourceKind
    let number: UInt64
    /// The queue in which its handlers run.
    let queue: ScriptQueue
    var machine: SourceMachine
    var keepsAlive = true
    /// The place where it was created.
    var place = LuaPlace.unknown
    /// How many operations that are to call a handler have not ended.
    var callCount = 0
    /// The value of `data`: the merged number of the last event.
    var data = 0
    /// Its registration with the monitor, while the system waits.
    var token: EventMonitor.Token?
    var monitor: EventMonitor?
    /// The userdata, as long as events may still come.
    var anchor: LuaReference?
    /// The table that has it as long as it is active.
    weak var table: SourceTable?

    init(_ kind: any SourceKind, number: UInt64, queue: ScriptQueue) {
        self.kind = kind
        self.number = number
        self.queue = queue
        machine = SourceMachine(kind.merge)
    }

    deinit {
        stopWaiting()
        table?.forget(number)
    }

    /// Makes the system stop waiting.
    func stopWaiting() {
        if let token = token.take() { monitor?.remove(token) }
    }

    /// Whether a handler may be called because of an event that no script causes.
    var isExpecting: Bool { kind.comesFromOutside && machine.isExpecting }

    /// Whether an event that has come, or is sure to come, waits for the queue of the handlers to be resumed.
    var waitsForQueue: Bool {
        machine.isQueueSuspended && (machine.hasEvent || machine.isActive && kind.isSureToHappen)
    }

    /// Its name in messages.
    var description: String { kind.description }
}

/// User values of a source's userdata.
enum SourceValue {
    /// The place of context and finalizer, the same for all dispatch objects; kept at the end of the source.
    static let finalizer = DispatchValue.finalizer
    static let eventHandler: Int32 = 2
    static let registrationHandler: Int32 = 3
    static let cancelHandler: Int32 = 4
    /// The file of Lua's library that it reads or writes; kept so that the file is not collected.
    static let file: Int32 = 5
    /// The queue on which its handlers run.
    static let queue: Int32 = 6
    static let count: Int32 = 6
}

/// The active sources of a script.
final class SourceTable {
    private struct Entry {
        weak var source: EventSource?
    }

    private var entries: [UInt64: Entry] = [:]
    /// The sources that may still call a handler because of an event.
    private var expecting: [UInt64: EventSource] = [:]
    private var nextNumber: UInt64 = 0

    func takeNumber() -> UInt64 {
        nextNumber += 1
        return nextNumber
    }

    subscript(number: UInt64) -> EventSource? { entries[number]?.source }

    /// All active sources, in the order in which they were made.
    var all: [EventSource] { entries.sorted { $0.key < $1.key }.compactMap(\.value.source) }

    /// How many sources are active.
    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var isExpecting: Bool { !expecting.isEmpty }
    var keepAlive: Bool { expecting.values.contains { $0.keepsAlive } }

    /// How many calls are in queues that are suspended.
    var heldCallCount: Int {
        entries.values.reduce(0) { count, entry in
            guard let source = entry.source, source.machine.isQueueSuspended else { return count }
            return count + source.callCount
        }
    }

    func add(_ source: EventSource) {
        entries[source.number] = Entry(source: source)
        source.table = self
    }

    /// Notes whether a source may still call a handler.
    func update(_ source: EventSource) {
        if source.isExpecting {
            expecting[source.number] = source
        } else if !expecting.isEmpty {
            expecting[source.number] = nil
        }
    }

    func forget(_ number: UInt64) {
        entries[number] = nil
        expecting[number] = nil
    }

    /// Cancels sources whose descriptor was closed while they were active; no other code detects this. True
    /// if there was one.
    func lookForClosed(_ runtime: ScriptRuntime) -> Bool {
        var found = false
        for (_, source) in expecting {
            guard source.kind.isClosed else { continue }
            found = true
            runtime.sources.descriptorWasClosed(source)
        }
        return found
    }
}
