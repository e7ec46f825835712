internal import LuaVM
internal import Scheduling

/// The operations of a run that its journal records, or that declare files.
///
/// Owns the numbers by which equal operations differ, and the tickets of those that make files. Called by the
/// constructors and properties of operations, and by the parts that start bodies and take in ends.
final class Journaling: RuntimePart {
    /// nil if nothing is recorded: always on virtual time and for plans.
    let journal: (any RunJournal)?
    let operations: Operations
    private let threads: Threads
    /// How many operations of a kind there are.
    private var counts: [Kind: Int64] = [:]
    private let holes = PlaceHoles()
    private var uses = FileUses()
    /// The tickets of the operations that make files, if the dependencies of operations are followed.
    private var makerTickets: [OperationID: JournalTicket] = [:]
    /// All tickets, if the dependencies of operations are followed.
    private var followed: [JournalTicket] = []
    /// The names of operations and works, if the journal has to find some of them.
    private var seenNames: Set<String> = []
    /// Sentences about bodies whose results are not recorded.
    private var unrecorded: [String] = []

    init(_ foundation: RuntimeFoundation, operations: Operations, threads: Threads) {
        let configuration = foundation.configuration
        let isReal = configuration.clock == .system && !configuration.plansOnly
        journal = isReal ? configuration.journal : nil
        self.operations = operations
        self.threads = threads
        super.init(foundation)
        operations.hasTickets = journal != nil
    }

    // MARK: The run

    /// A run begins.
    func begin(_ script: String) throws(ScriptError) {
        guard let journal else { return }
        try journal.begin(script)
        operations.followsTickets = !journal.firstEntries.isEmpty || journal.onlyExplains
    }

    /// The run has ended.
    func end(_ outcome: String, isGood: Bool) {
        if let journal {
            explainUnreached(journal)
            var report = journal.end(outcome, isGood: isGood)
            report.remarks += remarksAboutNames(journal) + unrecorded
            if journal.listsInputs { listFiles(in: &report, journal) }
            runState.report.journal = report
        }
        counts = [:]
        holes.removeAll()
        uses = FileUses()
        makerTickets = [:]
        for ticket in followed { ticket.forgetDependencies() }
        followed = []
        seenNames = []
        unrecorded = []
    }

    /// Names the operations about which a run that only explains has said nothing: they wait for one that only a body
    /// adds, or nothing adds them.
    private func explainUnreached(_ journal: any RunJournal) {
        guard journal.onlyExplains else { return }
        for slot in 0..<operations.entries.count {
            let id = operations.entries[slot].pointee.id
            guard id != .none, let view = operations.liveView(id), !view.pointee.isFinished,
                view.pointee.kind != .group, view.pointee.kind != .gate,
                operations.entries[slot].pointee.isForScript
            else { continue }
            Explanations.add(
                view.pointee.flags.contains(.isSubmitted)
                    ? "was not reached: it waits for something that only a body does"
                    : "was not reached: nothing has added it, unless a body does",
                named: operations.name(view),
                work: ticket(view)?.work ?? "",
                to: journal
            )
        }
    }

    /// A sentence for each name that the user has given and no operation has.
    private func remarksAboutNames(_ journal: any RunJournal) -> [String] {
        let given =
            journal.repeatedNames.map { ("--again", $0) }
            + (journal.explainedName.map { [("--explain", $0)] } ?? [])
        return given.filter { !seenNames.contains($0.1) }.map { option, name in
            "\(option): no operation has the name '\(name)'\(suggestion(for: name, among: seenNames))"
        }
    }

    private func listFiles(in report: inout JournalReport, _ journal: any RunJournal) {
        report.inputs = uses.inputs.union(report.inputs).filter { !uses.isMade($0) }.sorted()
        report.inputPatterns = uses.inputPatterns.sorted()
        report.outputs = uses.outputs.sorted()
        report.missedChange = { [uses, inputs = report.inputs, patterns = report.inputPatterns] in
            var uses = uses
            let paths = inputs + FilePattern.expand(patterns) + $0
            return paths.first { !uses.isMade($0) && journal.hasMissedChange(of: $0) }
                ?? journal.missedOutput()
        }
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
        version: String?,
        takesPlace: Bool = true
    ) -> JournalTicket {
        var bytes: [UInt8] = []
        var hasOperations = false
        if journal != nil {
            _ = ValueBytes.append(.text(work), to: &bytes)
            for argument in arguments {
                // Host objects make no difference here: their operations are not recorded.
                _ = ValueBytes.append(argument.withKinds(&hasOperations), to: &bytes)
            }
        }
        let ticket = JournalTicket(
            work: work,
            writing: journal?.digest(bytes) ?? [],
            kindHasOneKey: !hasOperations && code == nil && work != Self.luaWork,
            recording: recording,
            version: version,
            journal: journal,
            holes: holes,
            secrets: link.secrets
        )
        if journal == nil { return ticket }
        if takesPlace { takePlace(ticket) }
        if let code { setCode(of: ticket, from: code) }
        if operations.followsTickets {
            follow(ticket, arguments)
            seenNames.insert(work)
        }
        return ticket
    }

    /// The work of a body in Lua.
    private static let luaWork = "lua"

    /// Gives a ticket the next number of its kind.
    private func takePlace(_ ticket: JournalTicket) {
        guard let journal else { return }
        var kind = ticket.writing
        let (name, version) = (ticket.name, ticket.version)
        if name != nil || version != nil {
            for text in [name, version] {
                _ = ValueBytes.append(text.map { .text($0) } ?? .nil, to: &kind)
            }
            kind = journal.digest(kind)
        }
        let number = counts[Kind(kind), default: 0] + 1
        counts[Kind(kind)] = number
        ticket.place = JournalTicket.Place(kind: kind, number: number)
    }

    /// Changes the name or the version of a ticket, and with them its kind.
    func change(_ ticket: JournalTicket, _ change: (JournalTicket) -> Void) {
        guard journal != nil, ticket.place.number > 0 else { return change(ticket) }
        // The usual case: the operation was just made, so its old number is free again.
        let old = ticket.place
        if counts[Kind(old.kind)] == old.number {
            counts[Kind(old.kind)] = old.number - 1
        } else {
            holes.add(old)
        }
        change(ticket)
        takePlace(ticket)
    }

    /// The script has given an operation a name, or has removed it.
    func nameChanged(_ view: OperationPointer, _ name: String?) {
        if operations.followsTickets, let name { seenNames.insert(name) }
        // An operation that is made anew is the same one.
        if let ticket = ticket(view), ticket.name != name { change(ticket) { $0.name = name } }
    }

    private func follow(_ ticket: JournalTicket, _ arguments: [ScriptValue]) {
        followed.append(ticket)
        for argument in arguments {
            argument.forEachTicket { ticket.takes(from: $0) }
        }
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
    ///
    /// - Parameter isFollowed: Whether it is made only because dependencies are followed. Then it takes no number,
    ///   since other runs do not make it.
    func ownTicket(
        _ view: OperationPointer,
        _ state: LuaState,
        _ index: Int32,
        isFollowed: Bool = false
    ) -> JournalTicket? {
        if let ticket = ticket(view) {
            if !isFollowed, ticket.place.number == 0 { takePlace(ticket) }
            return ticket
        }
        guard let entry = operations.entry(view.pointee.id) else { return nil }
        operations.hasTickets = true
        if let body = entry.pointee.body {
            let ticket = makeTicket(of: body)
            body.ticket = ticket
            return ticket
        }
        // The name itself, which may hold a secret: names that differ only there are different.
        let name = operations.ownName(state, index, view)
        let ticket = makeTicket(
            work: Self.luaWork,
            arguments: [],
            code: nil,
            recording: nil,
            version: nil,
            takesPlace: !isFollowed
        )
        if name != nil { change(ticket) { $0.name = name } }
        entry.pointee.ownAttachment.ticket = ticket
        operations.hasTickets = true
        return ticket
    }

    // MARK: Bodies in Lua

    /// A property of an operation was read. If that was done by a body whose result is to be recorded, the result
    /// depends on something that its key does not have.
    func noteReading(_ property: String, of id: OperationID, onlyByOthers: Bool) {
        guard journal != nil, let reader = runtime.bodies.current?.operation,
            !onlyByOthers || reader != id,
            let ticket = operations.liveView(reader).flatMap({ ticket($0) }),
            ticket.pending?.operation.recording == .result
        else { return }
        ticket.reading = property
    }

    func noteUnrecorded(_ ticket: JournalTicket, _ property: String) {
        let other = property == "dependencies" ? "capture the operation itself" : "capture the value"
        unrecorded.append(
            "'\(ticket.shownName)' is not recorded: it has read op.\(property), which is not in its key; \(other) in a "
                + "local variable"
        )
    }

    // MARK: Declared files

    /// Sets the files that the operation at an index reads, and makes it depend on the operations that make them.
    func setInputs(_ paths: [String]?, of view: OperationPointer, _ state: LuaState, _ index: Int32)
        throws(LuaRaise)
    {
        guard let ticket = ownTicket(view, state, index) else { return }
        for path in ticket.patterns.inputs ?? [] { uses.removeInput(path, of: view.pointee.id) }
        ticket.patterns.inputs = paths
        for path in paths ?? [] { try reads(path, view.pointee.id, ticket, state) }
    }

    /// Sets the files that the operation at an index makes, and makes the operations that read them depend on it.
    func setOutputs(_ paths: [String]?, of view: OperationPointer, _ state: LuaState, _ index: Int32)
        throws(LuaRaise)
    {
        guard let ticket = ownTicket(view, state, index) else { return }
        let id = view.pointee.id
        for path in ticket.patterns.outputs ?? [] { uses.removeOutput(path, of: id) }
        for path in paths ?? [] { try checkIsFree(path, for: id) }
        ticket.patterns.outputs = paths
        if operations.followsTickets { makerTickets[id] = ticket }
        for path in paths ?? [] {
            for reader in uses.addOutput(path, of: id) {
                if operations.followsTickets {
                    operations.liveView(reader).flatMap { self.ticket($0) }?.takes(from: ticket)
                }
                try connect(reader, to: id, state)
            }
        }
    }

    /// - Throws: If another operation that has not ended makes the same file, or one that matches the same pattern.
    private func checkIsFree(_ path: String, for id: OperationID) throws(LuaRaise) {
        for other in uses.otherMakers(of: path, than: id) {
            guard let view = operations.liveView(other.id), !view.pointee.isFinished else { continue }
            let also = other.name == path ? "" : ", as '\(other.name)'"
            throw LuaRaise(
                .argument,
                "bad value for 'outputs' ('\(path)' is among the outputs of '\(operations.name(view))' already\(also): "
                    + "two operations cannot make the same file)"
            )
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
        uses.addDepfile(path)
        for each in journal.knownInputs(ofDepfile: path) { try reads(each, view.pointee.id, ticket, state) }
    }

    /// An operation reads a file, or those that match a pattern. It takes something from the operations that make them,
    /// even if these have ended and are gone.
    private func reads(_ path: String, _ id: OperationID, _ ticket: JournalTicket, _ state: LuaState)
        throws(LuaRaise)
    {
        for maker in uses.addInput(path, of: id) {
            if let source = makerTickets[maker] { ticket.takes(from: source) }
            try connect(id, to: maker, state)
        }
    }

    /// Makes a reader depend on the operation that makes its file, unless one of them has ended.
    ///
    /// - Throws: Code `misuse` if the reader has begun.
    private func connect(_ reader: OperationID, to maker: OperationID, _ state: LuaState) throws(LuaRaise) {
        guard let readerView = operations.liveView(reader), let makerView = operations.liveView(maker),
            !readerView.pointee.isFinished, !makerView.pointee.isFinished
        else { return }
        guard readerView.pointee.state != .executing else { throw hasBegun(readerView, makerView) }
        let top = state.top
        defer { state.setTop(top) }
        guard state.ensureSpace(6), operations.pushOperation(reader, state),
            operations.pushOperation(maker, state)
        else { return }
        do throws(LuaRaise) {
            try operations.addDependency(state, top + 1, top + 2, .succeeded)
        } catch {
            // It may have started in the meantime.
            throw error.code == .misuse ? hasBegun(readerView, makerView) : error
        }
    }

    /// The error that an operation is to make a file which another one may have read already.
    private func hasBegun(_ reader: OperationPointer, _ maker: OperationPointer) -> LuaRaise {
        LuaRaise(
            .misuse,
            "'\(operations.name(maker))' makes a file that '\(operations.name(reader))' reads, and that has begun: set "
                + "the outputs before the operation that reads them is added to a queue, or wait for its end first"
        )
    }
}

/// The first half of the digest of a kind of operations.
private struct Kind: Hashable {
    private let first: UInt64
    private let second: UInt64

    init(_ digest: [UInt8]) {
        (first, second) = digest.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}

extension ScriptValue {
    /// The value with the kinds of operations in place of these; sets the flag if there are any.
    fileprivate func withKinds(_ hasOperations: inout Bool) -> ScriptValue {
        switch self {
        case .object(let object):
            hasOperations = true
            if let ticket = (object as? WorkBody)?.ticket { return .string(ticket.place.kind) }
            return .text("\0operation")
        case .array(let elements):
            guard elements.contains(where: { $0.holdsObject }) else { return self }
            return .array(elements.map { $0.withKinds(&hasOperations) })
        case .table(var table):
            for place in table.entries.indices {
                table.entries[place].value = table.entries[place].value.withKinds(&hasOperations)
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
