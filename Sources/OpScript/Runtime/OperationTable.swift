internal import Scheduling

/// What the runtime keeps of an operation, by its slot.
struct OperationEntry {
    /// How the runtime holds the userdata.
    enum Hold: UInt8 {
        /// It lives as long as the script has it.
        case weakly
        /// It was made a moment ago: most are added to a queue at once.
        case newly
        case untilEnd
    }

    /// `.none`: the slot is not in use here.
    var id = OperationID.none
    /// The userdata's memory; valid as long as the userdata lives, that is while it is held or on a stack.
    var block: OperationPointer?
    var body: WorkBody?
    /// The body of an earlier operation in this slot, emptied, for the next one.
    private var spareBody: WorkBody?
    var attachment: OperationAttachment?
    /// The first of its bodies that wait, which knows the next one.
    private var firstTask: ScriptTask?
    var hold = Hold.weakly
    /// Where it is anchored, unless it is held weakly.
    var place: UInt32 = 0
    var isGate = false
    fileprivate var isListedAsExecuting = false
    /// For the diagnosis of what was made and never added: where, and which closure or -1.
    var source: Int32 = 0
    var line: Int32 = 0
    var work: Int32 = -1
    /// When its last attempt started, on the scheduler's clock.
    var startedAt: Int64 = 0
    /// Neighbours among those that execute; slots, or `.max`.
    fileprivate var previousExecuting = UInt32.max
    fileprivate var nextExecuting = UInt32.max

    fileprivate var hasNoTask: Bool { firstTask == nil }

    /// Where its body lies, if it has one.
    @inline(__always)
    var bodyAddress: UnsafeRawPointer? {
        body.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// Gives it the body of a Swift closure. Whether that is a new one.
    @inline(__always)
    mutating func makeBody(
        _ definition: WorkDefinition,
        _ arguments: consuming ArgumentList,
        takesOperations: Bool
    ) -> Bool {
        if spareBody == nil {
            body = WorkBody(definition, arguments, takesOperations: takesOperations)
            return true
        }
        swap(&body, &spareBody)
        body?.fill(definition, arguments, takesOperations: takesOperations)
        return false
    }

    /// Bodies of the operation that wait, in the order of their first waits; most operations have one body.
    var tasks: [ScriptTask] {
        var result: [ScriptTask] = []
        var next = firstTask
        while let task = next {
            result.append(task)
            next = task.nextOfOperation
        }
        return result
    }

    /// A body waits, maybe not for the first time.
    @inline(__always)
    mutating func add(_ task: ScriptTask) {
        if firstTask == nil { firstTask = task } else if firstTask !== task { addAfterOthers(task) }
    }

    private func addAfterOthers(_ task: ScriptTask) {
        guard let last = tasks.last, !tasks.contains(where: { $0 === task }) else { return }
        last.nextOfOperation = task
    }

    /// A body has ended.
    mutating func remove(_ task: ScriptTask) {
        if firstTask === task {
            firstTask = task.nextOfOperation
        } else if let before = tasks.first(where: { $0.nextOfOperation === task }) {
            before.nextOfOperation = task.nextOfOperation
        }
        task.nextOfOperation = nil
    }

    /// The operation is forgotten. Its body stays for the next one, unless somebody still wants to see its result.
    @inline(__always)
    mutating func clear() {
        if isKnownUniquelyReferenced(&body) {
            body?.empty()
            swap(&body, &spareBody)
        }
        if body != nil { body = nil }
        if attachment != nil { attachment = nil }
        if firstTask != nil { firstTask = nil }
        id = .none
        block = nil
        hold = .weakly
        place = 0
        source = 0
        line = 0
        work = -1
        isGate = false
        startedAt = 0
    }
}

// Of the pointer, since properties of the entry itself would copy it with all its references.
extension UnsafeMutablePointer<OperationEntry> {
    /// Whether it is held until its end, and nobody waits for it or looks at it.
    @inline(__always)
    var isOrdinary: Bool {
        pointee.hold == .untilEnd && pointee.attachment == nil && pointee.hasNoTask && !pointee.isGate
    }

    /// The result of its body, which has ended; nil where there is no body, or more than one result.
    @inline(__always)
    var result: ScriptValue? {
        guard let address = pointee.bodyAddress else { return nil }
        return Unmanaged<WorkBody>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.peek() }
    }
}

/// The entries of all operations, by slot, in memory that never moves.
final class OperationTable {
    private let storage = ChunkedStorage<OperationEntry>()

    /// How many slots have an entry.
    var count: Int { Int(storage.count) }

    /// The entry in a slot below `count`.
    @inline(__always)
    subscript(slot: Int) -> UnsafeMutablePointer<OperationEntry> { storage.pointer(UInt32(slot)) }

    /// The entry of an operation, if it is known here.
    @inline(__always)
    func entry(_ id: OperationID) -> UnsafeMutablePointer<OperationEntry>? {
        guard id.slot < storage.count else { return nil }
        let entry = storage.pointer(id.slot)
        return entry.pointee.id == id ? entry : nil
    }

    /// The entry in a slot, which is made where it is beyond all others.
    @inline(__always)
    func makeEntry(_ slot: Int) -> UnsafeMutablePointer<OperationEntry> {
        while slot >= count { storage.append(OperationEntry()) }
        return self[slot]
    }

    // MARK: What executes

    private var firstExecuting = UInt32.max
    private var lastExecuting = UInt32.max
    private(set) var executingCount = 0

    /// Puts an operation at the end of those that execute.
    func noteStart(_ entry: UnsafeMutablePointer<OperationEntry>) {
        guard !entry.pointee.isListedAsExecuting else { return }
        let slot = entry.pointee.id.slot
        entry.pointee.isListedAsExecuting = true
        entry.pointee.previousExecuting = lastExecuting
        entry.pointee.nextExecuting = .max
        if lastExecuting == .max {
            firstExecuting = slot
        } else {
            self[Int(lastExecuting)].pointee.nextExecuting = slot
        }
        lastExecuting = slot
        executingCount += 1
    }

    /// Takes an operation out of those that execute, if it is among them.
    func noteEnd(_ entry: UnsafeMutablePointer<OperationEntry>) {
        guard entry.pointee.isListedAsExecuting else { return }
        entry.pointee.isListedAsExecuting = false
        let previous = entry.pointee.previousExecuting
        let next = entry.pointee.nextExecuting
        if previous == .max {
            firstExecuting = next
        } else {
            self[Int(previous)].pointee.nextExecuting = next
        }
        if next == .max {
            lastExecuting = previous
        } else {
            self[Int(next)].pointee.previousExecuting = previous
        }
        executingCount -= 1
    }

    /// Those that execute longest, the longest first.
    func longestExecuting(_ limit: Int) -> [UnsafeMutablePointer<OperationEntry>] {
        var result: [UnsafeMutablePointer<OperationEntry>] = []
        var slot = firstExecuting
        while slot != .max, result.count < limit {
            result.append(self[Int(slot)])
            slot = self[Int(slot)].pointee.nextExecuting
        }
        return result
    }
}
