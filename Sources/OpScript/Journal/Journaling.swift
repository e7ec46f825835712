internal import LuaVM
internal import Scheduling

/// The operations of a run that its journal records, or that declare files.
///
/// Owns the numbers by which equal operations differ, and which operation makes which file. Called by the constructors
/// and properties of operations, and by the parts that start bodies and take in ends.
final class Journaling: RuntimePart {
    /// nil if nothing is recorded: always on virtual time and for plans.
    let journal: (any RunJournal)?
    private let operations: Operations
    private let threads: Threads
    /// How many operations were made with the same work and arguments.
    private var counts: [Likeness: Int64] = [:]
    /// By path, the operation that has it among its outputs.
    private var makers: [String: OperationID] = [:]
    /// By path, the operations that have it among their inputs.
    private var readers: [String: [OperationID]] = [:]
    private var patternReaders: [(pattern: String, id: OperationID)] = []
    /// All tickets, if the dependencies of operations are followed.
    private var followed: [JournalTicket] = []

    init(_ foundation: RuntimeFoundation, operations: Operations, threads: Threads) {
        let configuration = foundation.configuration
        let isReal = configuration.clock == .system && !configuration.plansOnly
        journal = isReal ? configuration.journal : nil
        self.operations = operations
        self.threads = threads
        super.init(foundation)
        operations.hasTickets = journal != nil
        operations.followsTickets = journal.map { !$0.repeatedNames.isEmpty || $0.onlyExplains } ?? false
    }

    // MARK: The run

    /// A run begins.
    func begin(_ script: String) throws(ScriptError) { try journal?.begin(script) }

    /// The run has ended.
    func end(_ outcome: String, isGood: Bool) {
        counts = [:]
        makers = [:]
        readers = [:]
        patternReaders = []
        for ticket in followed { ticket.forgetDependencies() }
        followed = []
        if let journal { runState.report.journal = journal.end(outcome, isGood: isGood) }
    }

    /// Ends become visible to the script only after they are recorded.
    @inline(__always)
    func flush() { if let journal { journal.flush() } }

    // MARK: Tickets

    /// An operation of a work was made: it gets its ticket.
    func made(_ body: WorkBody) {
        guard journal != nil else { return }
        body.ticket = makeTicket(of: body)
    }

    private func makeTicket(of body: WorkBody) -> JournalTicket {
        let definition = body.definition
        return makeTicket(
            work: definition.name,
            arguments: body.arguments.values,
            code: definition.code,
            recording: definition.recording,
            version: definition.version
        )
    }

    private func makeTicket(
        work: String,
        arguments: [ScriptValue],
        code: LuaCapture?,
        recording: RecordingMode?,
        version: String?
    ) -> JournalTicket {
        guard let journal else { return ticket(work, [], recording, version) }
        var bytes: [UInt8] = []
        _ = ValueBytes.append(.text(work), to: &bytes)
        for argument in arguments {
            // Host objects make no difference here: their operations are not recorded.
            _ = ValueBytes.append(argument.withTags(), to: &bytes)
        }
        let likeness = Likeness(journal.digest(bytes))
        let number = counts[likeness, default: 0] + 1
        counts[likeness] = number
        let ticket = ticket(work, likeness.tag(number), recording, version)
        if let code { setCode(of: ticket, from: code) }
        if operations.followsTickets { follow(ticket, arguments) }
        return ticket
    }

    private func ticket(
        _ work: String,
        _ tag: [UInt8],
        _ recording: RecordingMode?,
        _ version: String?
    ) -> JournalTicket {
        JournalTicket(
            work: work,
            tag: tag,
            recording: recording,
            version: version,
            journal: journal,
            secrets: link.secrets
        )
    }

    private func follow(_ ticket: JournalTicket, _ arguments: [ScriptValue]) {
        followed.append(ticket)
        for argument in arguments { argument.forEachTicket { ticket.depends(on: $0) } }
    }

    private func setCode(of ticket: JournalTicket, from capture: LuaCapture) {
        let code = capture.canonicalBytes { ($0 as? ScriptValue).flatMap { ValueBytes.encode([$0]) } }
        ticket.setCode(code, obstacle: code == nil ? "it has captured an object of the host" : nil)
    }

    /// The ticket of the operation at an index; nil if it has none.
    func ticket(_ view: OperationPointer) -> JournalTicket? {
        guard let entry = operations.entry(view.pointee.id) else { return nil }
        return entry.pointee.body?.ticket ?? entry.pointee.attachment?.ticket
    }

    /// The ticket of the operation at an index; made if it has none.
    func ownTicket(_ view: OperationPointer, _ state: LuaState, _ index: Int32) -> JournalTicket? {
        if let ticket = ticket(view) { return ticket }
        guard let entry = operations.entry(view.pointee.id) else { return nil }
        operations.hasTickets = true
        if let body = entry.pointee.body {
            let ticket = makeTicket(of: body)
            body.ticket = ticket
            return ticket
        }
        let name = view.pointee.flags.contains(.hasName) ? operations.name(state, index, view) : nil
        let ticket = makeTicket(
            work: "lua",
            arguments: name.map { [.text($0)] } ?? [],
            code: nil,
            recording: nil,
            version: nil
        )
        ticket.name = name
        entry.pointee.ownAttachment.ticket = ticket
        operations.hasTickets = true
        return ticket
    }

    /// The operation at an index depends on the one at another index.
    func noteDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ view: OperationPointer,
        _ other: OperationPointer
    ) {
        guard let ticket = ownTicket(view, state, index),
            let otherTicket = ownTicket(other, state, otherIndex)
        else { return }
        ticket.depends(on: otherTicket)
    }

    // MARK: Declared files

    /// Sets the files that the operation at an index reads, and makes it depend on the operations that make them.
    func setInputs(_ paths: [String]?, of view: OperationPointer, _ state: LuaState, _ index: Int32)
        throws(LuaRaise)
    {
        guard let ticket = ownTicket(view, state, index) else { return }
        forgetReader(view.pointee.id, ticket.patterns.inputs ?? [])
        ticket.patterns.inputs = paths
        for path in paths ?? [] { try reads(path, view, state, index) }
    }

    /// Sets the files that the operation at an index makes, and makes the operations that read them depend on it.
    func setOutputs(_ paths: [String]?, of view: OperationPointer, _ state: LuaState, _ index: Int32)
        throws(LuaRaise)
    {
        guard let ticket = ownTicket(view, state, index) else { return }
        let id = view.pointee.id
        for path in ticket.patterns.outputs ?? [] where makers[FilePattern.plain(path)] == id {
            makers[FilePattern.plain(path)] = nil
        }
        for path in paths ?? [] {
            let path = FilePattern.plain(path)
            guard let other = makers[path], other != id, let otherView = operations.liveView(other),
                !otherView.pointee.isFinished
            else { continue }
            throw LuaRaise(
                .argument,
                "bad value for 'outputs' ('\(path)' is among the outputs of '\(operations.name(otherView))' already: "
                    + "two operations cannot make the same file)"
            )
        }
        ticket.patterns.outputs = paths
        for path in paths ?? [] {
            let path = FilePattern.plain(path)
            makers[path] = id
            var waiting = readers[path] ?? []
            for each in patternReaders where FilePattern.matches(path, each.pattern) {
                waiting.append(each.id)
            }
            for reader in waiting where reader != id { try connect(reader, to: id, state) }
        }
    }

    /// Sets the dependency file of the operation at an index. The files that an earlier run found in it count as
    /// inputs for the order of operations.
    func setDepfile(_ path: String?, of view: OperationPointer, _ state: LuaState, _ index: Int32)
        throws(LuaRaise)
    {
        guard let ticket = ownTicket(view, state, index) else { return }
        ticket.patterns.depfile = path
        guard let path, let journal else { return }
        for each in journal.knownInputs(ofDepfile: path) { try reads(each, view, state, index) }
    }

    private func reads(_ path: String, _ view: OperationPointer, _ state: LuaState, _ index: Int32)
        throws(LuaRaise)
    {
        let id = view.pointee.id
        let path = FilePattern.plain(path)
        guard FilePattern.isPattern(path) else {
            readers[path, default: []].append(id)
            if let maker = makers[path], maker != id { try connect(id, to: maker, state) }
            return
        }
        patternReaders.append((path, id))
        for (made, maker) in makers.sorted(by: { $0.key < $1.key }) where maker != id {
            if FilePattern.matches(made, path) { try connect(id, to: maker, state) }
        }
    }

    private func forgetReader(_ id: OperationID, _ paths: [String]) {
        for path in paths { readers[FilePattern.plain(path)]?.removeAll { $0 == id } }
        if !paths.isEmpty { patternReaders.removeAll { $0.id == id } }
    }

    /// Makes a reader depend on the operation that makes its file, unless one of them has begun already.
    private func connect(_ reader: OperationID, to maker: OperationID, _ state: LuaState) throws(LuaRaise) {
        guard let readerView = operations.liveView(reader), let makerView = operations.liveView(maker),
            !readerView.pointee.isFinished, readerView.pointee.state != .executing,
            !makerView.pointee.isFinished
        else { return }
        let top = state.top
        defer { state.setTop(top) }
        guard state.ensureSpace(6), operations.pushOperation(reader, state),
            operations.pushOperation(maker, state)
        else { return }
        do throws(LuaRaise) {
            try operations.addDependency(state, top + 1, top + 2, .succeeded)
        } catch {
            // It may have started in the meantime.
            if error.code != .misuse { throw error }
        }
    }
}

/// Operations with the same work and the same arguments, by their digest.
private struct Likeness: Hashable {
    private let first: UInt64
    private let second: UInt64

    init(_ digest: [UInt8]) {
        (first, second) = digest.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    /// The tag of the operation with a number among them: 16 bytes.
    func tag(_ number: Int64) -> [UInt8] {
        // Digests have no order, so no other operation is likely to get the same bytes.
        withUnsafeBytes(of: (first, second ^ UInt64(bitPattern: number).byteSwapped)) { Array($0) }
    }
}

extension ScriptValue {
    /// The value with the tags of operations in place of these.
    fileprivate func withTags() -> ScriptValue {
        switch self {
        case .object(let object):
            if let ticket = (object as? WorkBody)?.ticket { return .string(ticket.tag) }
            return .text("\0operation")
        case .array(let elements):
            return elements.contains { $0.holdsObject } ? .array(elements.map { $0.withTags() }) : self
        case .table(var table):
            for place in table.entries.indices {
                table.entries[place].value = table.entries[place].value.withTags()
            }
            return .table(table)
        default: return self
        }
    }

    private var holdsObject: Bool {
        switch self {
        case .object, .array, .table: true
        default: false
        }
    }

    /// Calls a closure with the ticket of each operation in the value.
    fileprivate func forEachTicket(_ body: (JournalTicket) -> Void) {
        switch self {
        case .object(let object): if let ticket = (object as? WorkBody)?.ticket { body(ticket) }
        case .array(let elements): for element in elements { element.forEachTicket(body) }
        case .table(let table): for entry in table.entries { entry.value.forEachTicket(body) }
        default: break
        }
    }
}
