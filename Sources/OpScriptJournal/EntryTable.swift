#if Journal
internal import OpScript

/// The entries of earlier runs that operations of this run may get, each one once.
///
/// An operation gets the entry with its key, its kind and its number. Operations of one kind may have several keys, if
/// there is a body in Lua or an operation among their arguments. Such an operation without an entry of its own gets the
/// only entry with its key, or of several the one with its number.
struct EntryTable {
    private var entries: [Entry] = []
    /// The place of the newest entry with an identity, whether an operation may get it or not.
    private var own: [Identity: Int] = [:]
    /// By key, the place of the newest entry that an operation may get.
    private var byKey: [Subject: Int] = [:]
    /// By key and number, the places of those entries; made when it is needed.
    private var byNumber: [Numbered: [Int]]?
    /// The places of the effects that are not known, or that the user has answered: see ``effect(like:)``.
    private var effects: [Place: Int] = [:]
    /// The entries that a new success replaces.
    private var replaceable: [Identity: [Int64]] = [:]

    /// Operations with one use of the journal never get entries of another, even if their keys are equal.
    private enum Use {
        case result, complete, once

        init(isOnce: Bool, isComplete: Bool) {
            self = isOnce ? .once : isComplete ? .complete : .result
        }
    }

    private struct Subject: Hashable {
        let key: Digest256
        let use: Use

        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    private struct Numbered: Hashable {
        let subject: Subject
        let number: Int64
    }

    /// The place of an operation in the script, whatever its arguments and its code are.
    private struct Place: Hashable {
        let kind: Digest256
        let number: Int64
    }

    private struct Identity: Hashable {
        let subject: Subject
        let kind: Digest256
        let number: Int64

        func hash(into hasher: inout Hasher) {
            hasher.combine(subject)
            hasher.combine(number)
        }
    }

    init() {}

    /// Loads the entries of a run, those that may be up to date, and the effects that are not known to have ended.
    ///
    /// - Parameter first: The first number that an entry of the run may have. The column of the run is not asked: if it
    ///   were damaged, the entry would not be found.
    init(ofRun run: Int64, first: Int64, in database: Database) throws(Database.Failure) {
        let text = """
            SELECT \(Entry.columns) FROM entries
            WHERE id>=? OR CASE recording WHEN 'once' THEN state IN (0, 3) ELSE complete=1 END ORDER BY id
            """
        let found = try database.rows(text, [.number(first)]) { Entry($0) }
        entries.reserveCapacity(found.count)
        own.reserveCapacity(found.count)
        byKey.reserveCapacity(found.count)
        for entry in found {
            guard let entry else {
                throw Database.Failure(
                    code: Database.Failure.damage,
                    message: "an entry does not fit its checksum"
                )
            }
            add(entry, run)
        }
    }

    private mutating func add(_ entry: Entry, _ run: Int64) {
        let use = Use(isOnce: entry.isOnce, isComplete: entry.isComplete)
        let subject = Subject(key: entry.key, use: use)
        let identity = Identity(subject: subject, kind: entry.kind, number: entry.number)
        if use == .complete {
            replaceable[identity, default: []].append(entry.id)
            // The files say whether an older success still holds.
            if entry.state == .failed { return }
        }
        var entry = entry
        let place = entries.count
        if let older = own.updateValue(place, forKey: identity) { entries[older].isClaimed = true }
        if entry.mayServe(run: run) {
            entry.olderWithKey = byKey.updateValue(place, forKey: subject) ?? -1
        } else {
            entry.isClaimed = true
        }
        if entry.isUnknown || entry.isOnce && entry.isAnswered && entry.run == run {
            effects[Place(kind: entry.kind, number: entry.number)] = place
        }
        entries.append(entry)
    }

    private static func identity(_ operation: JournaledOperation) -> Identity? {
        guard let key = Digest256(bytes: operation.key), let kind = Digest256(bytes: operation.kind) else {
            return nil
        }
        let use = Use(
            isOnce: operation.recording == .once,
            isComplete: operation.canBeUpToDate
        )
        let subject = Subject(key: key, use: use)
        return Identity(subject: subject, kind: kind, number: operation.number)
    }

    /// The entry of an operation, which no other operation gets from then on.
    ///
    /// - Complexity: O(1) amortised, however many entries have the same key.
    mutating func claim(_ operation: JournaledOperation) -> Entry? {
        guard !entries.isEmpty, let identity = Self.identity(operation) else { return nil }
        if let place = own[identity] { return take(place) }
        guard !operation.kindHasOneKey, let newest = byKey[identity.subject] else { return nil }
        if entries[newest].olderWithKey < 0 { return take(newest) }
        if byNumber == nil { byNumber = numbered() }
        let numbered = Numbered(subject: identity.subject, number: identity.number)
        while let place = byNumber?[numbered]?.popLast() {
            if let entry = take(place) { return entry }
        }
        return nil
    }

    /// The effect of an operation that had other arguments, or other code, when it began: a result on which it depends
    /// has changed since, or the script has. No operation gets it by this, since another one may have its key.
    func effect(like operation: JournaledOperation) -> Entry? {
        guard operation.recording == .once, !operation.kindHasOneKey, !effects.isEmpty,
            let kind = Digest256(bytes: operation.kind),
            let place = effects[Place(kind: kind, number: operation.number)], !entries[place].isClaimed
        else { return nil }
        return entries[place]
    }

    private func numbered() -> [Numbered: [Int]] {
        var result: [Numbered: [Int]] = [:]
        for (subject, newest) in byKey {
            var place = newest
            var found: [Int] = []
            while place >= 0 {
                found.append(place)
                place = entries[place].olderWithKey
            }
            for place in found.reversed() {
                result[Numbered(subject: subject, number: entries[place].number), default: []].append(place)
            }
        }
        return result
    }

    private mutating func take(_ place: Int) -> Entry? {
        if entries[place].isClaimed { return nil }
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

    /// The effects that are not known, and that no operation has asked for.
    var unaskedEffects: [Entry] { entries.filter { $0.isUnknown && !$0.isClaimed } }

    /// How many results of a run no operation has got.
    func unaskedCount(ofRun run: Int64) -> Int {
        entries.count { $0.run == run && $0.state == .succeeded && !$0.isClaimed }
    }
}
#endif
