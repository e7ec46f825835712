internal import LuaVM
internal import Scheduling

/// A source of events of a script.
///
/// Its handlers are user values of its userdata, so that circles through them are collected.
final class EventSource {
    let kind: any SourceKind
    let number: UInt64
    /// Where its handlers run.
    let queue: ScriptQueue
    var machine: SourceMachine
    var keepsAlive = true
    /// Where it was made.
    var place = LuaPlace.unknown
    /// What `data` gives: the merged number of the last event.
    var data = 0
    /// What the system waits for.
    var token: EventMonitor.Token?
    var monitor: EventMonitor?
    /// The userdata, as long as something may come.
    var anchor: LuaReference?
    /// The table that knows it as long as it is active.
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

    /// Has the system wait no longer.
    func stopWaiting() {
        if let token = token.take() { monitor?.remove(token) }
    }

    /// Whether a handler may be called because of something that no script does.
    var isExpecting: Bool { kind.comesFromOutside && machine.isExpecting }

    /// How messages name it.
    var description: String { kind.description }
}

/// User values of a source's userdata.
enum SourceValue {
    /// The place of context and finalizer, the same for all dispatch objects; the end of the source leaves it.
    static let finalizer = DispatchValue.finalizer
    static let eventHandler: Int32 = 2
    static let registrationHandler: Int32 = 3
    static let cancelHandler: Int32 = 4
    /// The file of Lua's library that it reads or writes, which it keeps from being collected.
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
    /// Those that may still call a handler by themselves.
    private var expecting: [UInt64: EventSource] = [:]
    private var nextNumber: UInt64 = 0

    func takeNumber() -> UInt64 {
        nextNumber += 1
        return nextNumber
    }

    subscript(number: UInt64) -> EventSource? { entries[number]?.source }

    /// All that are active, in the order in which they were made.
    var all: [EventSource] { entries.sorted { $0.key < $1.key }.compactMap(\.value.source) }

    var isEmpty: Bool { entries.isEmpty }
    var isExpecting: Bool { !expecting.isEmpty }
    var keepAlive: Bool { expecting.values.contains { $0.keepsAlive } }

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

    /// Cancels sources whose descriptor was closed under them, which nobody else would notice. True where there was
    /// one.
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
