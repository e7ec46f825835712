internal import Synchronization

/// The facts about one operation that matter for its journal and its declared files, from its creation to its end.
///
/// The script thread sets them until the operation is added; the thread of the body reads them.
@dynamicMemberLookup
final class JournalTicket: Sendable {
    /// The name of the work, or `lua`.
    let work: String
    /// The digest of its work and of its arguments as they were written.
    let writing: [UInt8]
    /// See ``JournaledOperation/kindHasOneKey``.
    let kindHasOneKey: Bool
    /// nil if nothing is recorded, and the ticket is for declared files alone.
    let journal: (any RunJournal)?
    private let holes: PlaceHoles
    let secrets: Secrets
    private let state: Mutex<State>

    /// The facts that change.
    struct State {
        var place = Place(kind: [], number: 0)
        var name: String?
        var version: String?
        /// nil for a body in Lua whose script has set none.
        var recording: RecordingMode?
        /// The declared files as the script wrote them.
        var patterns = DeclaredFiles()
        var verdict = Verdict.open
        /// Its body in Lua that has not begun yet.
        var pending: Pending?
        /// A property of the operation that its body has read, and that is not in its key.
        var reading: String?
        /// The code of a body in Lua, and why it cannot be recorded.
        fileprivate var code: [UInt8]?
        fileprivate var obstacle: String?
        /// The tickets of its dependencies, if it matters whether these run.
        fileprivate var dependencies: [JournalTicket] = []
        /// Those of them whose results or files it takes.
        fileprivate var sources: [JournalTicket] = []
        /// Those on whose failures it depends.
        fileprivate var failureSources: [JournalTicket] = []
        /// The tickets of the operations inside.
        fileprivate var members: [JournalTicket] = []
        /// The ticket of the group that it is in.
        fileprivate var group: JournalTicket?
        fileprivate var firstEntry: Int64?
    }

    /// The journal's answer about its body.
    enum Verdict {
        /// It was not asked.
        case open
        /// The body has begun.
        case runs
        /// The body has its recorded result.
        case reused
        /// The run only explains: the body would run, or perhaps would.
        case wouldRun
        /// It would fail without running, or be skipped because of one that would.
        case wouldFail
    }

    /// See ``JournaledOperation/kind`` and ``JournaledOperation/number``.
    struct Place {
        let kind: [UInt8]
        let number: Int64
    }

    /// A body in Lua that runs.
    struct Pending: Sendable {
        let operation: JournaledOperation
        let entry: Int64
    }

    init(
        work: String,
        writing: [UInt8],
        kindHasOneKey: Bool,
        recording: RecordingMode?,
        version: String?,
        journal: (any RunJournal)?,
        holes: PlaceHoles,
        secrets: Secrets
    ) {
        self.work = work
        self.writing = writing
        self.kindHasOneKey = kindHasOneKey
        self.journal = journal
        self.holes = holes
        self.secrets = secrets
        var state = State()
        state.recording = recording
        state.version = version
        self.state = Mutex(state)
    }

    /// A fact about it, read or set by one thread at a time.
    subscript<Value: Sendable>(dynamicMember fact: WritableKeyPath<State, Value>) -> Value {
        get { state.withLock { $0[keyPath: fact] } }
        set { state.withLock { $0[keyPath: fact] = newValue } }
    }

    /// Why it is not known whether it runs: a dependency whose result, file or failure it takes would run. Nil if there
    /// is none, or dependencies are not followed.
    var obstacleToExplaining: String? {
        let (sources, failureSources) = state.withLock { ($0.sources, $0.failureSources) }
        if let other = sources.first(where: \.mayRun) {
            return "it depends on '\(other.shownName)', which would run"
        }
        return failureSources.first { $0.mayRun }
            .map { "it depends on a failure of '\($0.shownName)', which would run" }
    }

    /// Whether its body would run, or it is skipped because of one that would: the script thread may not have seen that
    /// yet.
    private var mayRun: Bool {
        var seen: Set<ObjectIdentifier> = []
        var open = [self]
        while let next = open.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            let now = next.state.withLock { $0 }
            switch now.verdict {
            case .wouldRun: return true
            case .open: open += now.dependencies
            case .runs, .reused, .wouldFail: break
            }
        }
        return false
    }

    var dependencyThatWouldFail: String? {
        state.withLock { $0.dependencies }.first { $0.verdict == .wouldFail }?.shownName
    }

    var dependencyThatWouldRun: String? {
        state.withLock { $0.dependencies }.first { $0.verdict == .wouldRun }?.shownName
    }

    /// Sets the code of a body in Lua, or why it has none.
    func setCode(_ code: [UInt8]?, obstacle: String?) {
        state.withLock { state in
            state.code = code
            state.obstacle = obstacle
        }
    }

    /// The name for texts.
    var shownName: String { self.name ?? work }

    // MARK: Dependencies

    func depends(on other: JournalTicket, toFail: Bool) {
        state.withLock { state in
            state.dependencies.append(other)
            if toFail { state.failureSources.append(other) }
        }
    }

    /// It takes the result or a file of another one.
    func takes(from other: JournalTicket) {
        state.withLock { state in
            state.sources.append(other)
            state.dependencies.append(other)
        }
    }

    /// Its operation is inside that of another one: what names the group names it, too, and what depends on the group
    /// depends on it.
    func isInside(_ group: JournalTicket) {
        state.withLock { $0.group = group }
        group.state.withLock { $0.members.append(self) }
    }

    func forgetDependencies() {
        state.withLock { state in
            state.dependencies = []
            state.sources = []
            state.failureSources = []
            state.members = []
            state.group = nil
        }
    }

    /// The first entry that counts, if it, or anything on which it depends, has one of these names; otherwise 0.
    private func firstEntry(by names: [String: Int64]) -> Int64 {
        if names.isEmpty { return 0 }
        var seen: Set<ObjectIdentifier> = []
        var seenAround: Set<ObjectIdentifier> = []
        // A group that is reached from inside counts with its name and its dependencies, not with its other members.
        var open = [(ticket: self, isAround: false)]
        var first: Int64 = 0
        while let (next, isAround) = open.popLast() {
            let id = ObjectIdentifier(next)
            guard isAround ? seenAround.insert(id).inserted : seen.insert(id).inserted else { continue }
            let now = next.state.withLock { $0 }
            if let known = now.firstEntry, !isAround {
                first = max(first, known)
                continue
            }
            // A group keeps its answer for all that depend on it: its members have ended.
            if !isAround, next !== self, !now.members.isEmpty {
                first = max(first, next.firstEntry(by: names))
                continue
            }
            first = max(first, names[next.work] ?? 0, now.name.flatMap { names[$0] } ?? 0)
            open += now.dependencies.map { ($0, false) }
            if !isAround { open += now.members.map { ($0, false) } }
            if let group = now.group { open.append((group, true)) }
        }
        let result = first
        state.withLock { $0.firstEntry = result }
        return result
    }

    // MARK: The operation

    /// The declared files, patterns expanded; nil if there are none.
    func files() -> DeclaredFiles? { files(self.patterns) }

    private func files(_ patterns: DeclaredFiles) -> DeclaredFiles? {
        guard !patterns.isEmpty else { return nil }
        return DeclaredFiles(
            inputs: patterns.inputs.map { FilePattern.expand($0).map(FilePattern.plain) },
            outputs: patterns.outputs.map { FilePattern.expand($0).map(FilePattern.plain) },
            depfile: patterns.depfile
        )
    }

    /// - Throws: Code `failed` if an output is missing.
    func checkOutputs() throws(ScriptError) {
        for path in self.patterns.outputs ?? [] {
            let isThere =
                FilePattern.isPattern(path) ? !FilePattern.expand([path]).isEmpty : FilePattern.exists(path)
            guard !isThere else { continue }
            throw ScriptError(.failed, "'\(shownName)' has not made its output '\(path)'")
        }
    }

    /// The operation as a journal sees it, with the arguments of this execution.
    func operation(_ arguments: [ScriptValue], for journal: any RunJournal, onlyReads: Bool)
        throws(ScriptError)
        -> JournaledOperation
    {
        let now = state.withLock { $0 }
        let files = files(now.patterns)
        var key: [UInt8] = []
        var obstacle = now.obstacle
        // An empty version is one.
        let version = now.version.map { $0.isEmpty ? "\0" : $0 }
        for text in [work, now.name ?? "", now.name == nil ? "" : "n", version ?? ""] {
            _ = ValueBytes.append(.text(text), to: &key)
        }
        if let code = now.code { _ = ValueBytes.append(.string(code), to: &key) }
        let bytes = ValueBytes.encode(arguments)
        if let bytes { key += bytes } else { obstacle = obstacle ?? "an argument is an object of the host" }
        var parts = [JournaledOperation.Part("arguments", content(of: arguments, bytes))]
        if let name = now.name { parts.append(.init("name", .text(secrets.hidden(in: name)))) }
        if let version = now.version { parts.append(.init("version", .text(secrets.hidden(in: version)))) }
        if let code = now.code {
            let text = journal.digest(code).prefix(8).map { hexadecimal($0) }.joined()
            parts.append(.init("code", .text(text)))
        }
        return JournaledOperation(
            work: work,
            name: now.name.map { secrets.hidden(in: $0) },
            key: journal.digest(key),
            kind: now.place.kind,
            number: holes.number(of: now.place),
            kindHasOneKey: kindHasOneKey,
            parts: parts,
            recording: now.recording ?? .never,
            files: files,
            firstEntry: firstEntry(by: journal.firstEntries),
            obstacle: obstacle,
            onlyReads: onlyReads
        )
    }

    /// Arguments up to this size are kept as they are.
    private static let mostArgumentBytes = 1_000

    private func content(of arguments: [ScriptValue], _ bytes: [UInt8]?) -> JournaledOperation.Part.Content {
        if let bytes, bytes.count <= Self.mostArgumentBytes, secrets.isEmpty { return .values(bytes) }
        return .text(secrets.hidden(in: ScriptValue.array(arguments).summary()))
    }
}

private func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return byte < 16 ? "0" + text : text
}
