#if Journal
internal import OpScript

/// The entries of earlier runs that operations of this run may get, each one once.
///
/// An operation gets the newest entry with its key and its tag, or else the newest one with its key.
struct EntryTable {
    private var entries: [Entry] = []
    /// By key and tag, the place of the newest entry.
    private var byTag: [Identity: Int] = [:]
    /// By key, the place of the newest entry.
    private var byKey: [Subject: Int] = [:]
    /// By key and tag, the entries that a new success replaces.
    private var replaceable: [Identity: [Int64]] = [:]

    /// Operations of one kind never get entries of another, even if their keys are equal.
    private enum Kind {
        case result, complete, once

        init(isOnce: Bool, isComplete: Bool) {
            self = isOnce ? .once : isComplete ? .complete : .result
        }
    }

    private struct Subject: Hashable {
        let key: Digest256
        let kind: Kind
    }

    private struct Identity: Hashable {
        let subject: Subject
        let tag: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(subject.key)
            tag.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    init() {}

    /// Loads the entries of a run, those that may be up to date, and the effects that are not known to have ended.
    init(ofRun run: Int64, in database: Database) throws(Database.Failure) {
        let text = """
            SELECT id, key, tag, run, state, recording='once', complete, begun,
            CASE WHEN length(result) <= 512 THEN result END, CASE WHEN complete=1 THEN files END FROM entries
            WHERE run=? OR complete=1 OR (recording='once' AND state IN (0, 3, 4)) ORDER BY id
            """
        let found = try database.rows(text, [.number(run)]) { Entry($0) }
        entries.reserveCapacity(found.count)
        byKey.reserveCapacity(found.count)
        byTag.reserveCapacity(found.count)
        for case let entry? in found { add(entry, run) }
    }

    private mutating func add(_ entry: Entry, _ run: Int64) {
        let identity = Self.identity(entry.key, entry.tag, isOnce: entry.isOnce, isComplete: entry.isComplete)
        if entry.isComplete { replaceable[identity, default: []].append(entry.id) }
        guard entry.mayServe(run: run) else { return }
        var entry = entry
        let place = entries.count
        entry.olderWithTag = byTag.updateValue(place, forKey: identity) ?? -1
        entry.olderWithKey = byKey.updateValue(place, forKey: identity.subject) ?? -1
        entries.append(entry)
    }

    private static func identity(_ key: Digest256, _ tag: [UInt8], isOnce: Bool, isComplete: Bool) -> Identity
    {
        Identity(subject: Subject(key: key, kind: Kind(isOnce: isOnce, isComplete: isComplete)), tag: tag)
    }

    private static func identity(_ operation: JournaledOperation) -> Identity? {
        Digest256(bytes: operation.key).map {
            identity(
                $0,
                operation.tag,
                isOnce: operation.recording == .once,
                isComplete: operation.files?.areComplete == true
            )
        }
    }

    /// The entry of an operation, which no other operation gets from then on.
    ///
    /// - Complexity: O(1) amortised, however many entries have the same key: each is passed over once.
    mutating func claim(_ operation: JournaledOperation) -> Entry? {
        guard !entries.isEmpty, let identity = Self.identity(operation) else { return nil }
        guard let newest = byKey[identity.subject] else { return nil }
        // The usual case: no other entry has the key.
        if !entries[newest].isClaimed, entries[newest].tag == operation.tag { return take(newest) }
        if let first = byTag[identity] {
            let place = unclaimed(from: first, \.olderWithTag)
            byTag[identity] = place
            if let place { return take(place) }
        }
        let place = unclaimed(from: newest, \.olderWithKey)
        byKey[identity.subject] = place
        return place.map { take($0) }
    }

    private func unclaimed(from first: Int, _ older: KeyPath<Entry, Int>) -> Int? {
        var place = first
        while place >= 0, entries[place].isClaimed { place = entries[place][keyPath: older] }
        return place >= 0 ? place : nil
    }

    private mutating func take(_ place: Int) -> Entry {
        entries[place].isClaimed = true
        return entries[place]
    }

    /// Notes the new entry of an operation that can be up to date in later runs.
    ///
    /// - Returns: The older entries, which no later run needs.
    mutating func replace(_ operation: JournaledOperation, by id: Int64) -> [Int64] {
        guard let identity = Self.identity(operation) else { return [] }
        return replaceable.updateValue([id], forKey: identity) ?? []
    }

    /// How many results of a run no operation has got.
    func unaskedCount(ofRun run: Int64) -> Int {
        entries.count { $0.run == run && $0.state == .succeeded && !$0.isClaimed }
    }
}
#endif
