/// Counted resources that operations take together before they start.
///
/// Sets of needs are interned: most operations with resources need one of a few sets.
struct ResourceTable {
    struct Need: Hashable {
        var resource: Int
        var amount: Int
    }

    private(set) var names: [String] = []
    private(set) var totals: [Int] = []
    private(set) var available: [Int] = []
    /// How long a start keeps a resource, in nanoseconds, whether its operation ends before or after; 0: until the
    /// operation ends.
    private(set) var terms: [Int64] = []
    /// How much starts keep whose term has not passed.
    private(set) var lent: [Int] = []
    private var indices: [String: Int] = [:]
    /// Set 0 is the empty one.
    private(set) var sets: [[Need]] = [[]]
    private var setIndices: [[Need]: Int] = [[]: 0]
    /// For each set: whether it has a resource that several queues may need.
    private var sharedSets = [false]
    /// Whether any set is shared.
    private(set) var hasShared = false
    /// For each resource the queues that ever needed it.
    private(set) var queuesByResource: [[UInt32]] = []

    func index(of name: String) -> Int? { indices[name] }

    /// Whether a resource belongs to one queue: its name begins with a zero.
    static func isPrivate(_ name: String) -> Bool { name.utf8.first == 0 }

    /// Whether other queues may need resources of a set.
    func isShared(_ set: Int) -> Bool { sharedSets[set] }

    /// Sets how much there is in all; amounts that are taken stay taken.
    mutating func setTotal(_ name: String, _ total: Int, term: Int64 = 0) {
        if let index = index(of: name) {
            available[index] += total - totals[index]
            totals[index] = total
            terms[index] = term
        } else {
            indices[name] = names.count
            names.append(name)
            totals.append(total)
            available.append(total)
            terms.append(term)
            lent.append(0)
            queuesByResource.append([])
        }
    }

    /// The index of a set of needs; of several needs for one resource, the largest counts.
    mutating func intern(_ needs: [Need]) -> Int {
        var sorted: [Need] = []
        for need in needs.filter({ $0.amount > 0 }).sorted(by: { $0.resource < $1.resource }) {
            if let last = sorted.indices.last, sorted[last].resource == need.resource {
                sorted[last].amount = max(sorted[last].amount, need.amount)
            } else {
                sorted.append(need)
            }
        }
        if let index = setIndices[sorted] { return index }
        sets.append(sorted)
        let isShared = sorted.contains { !Self.isPrivate(names[$0.resource]) }
        sharedSets.append(isShared)
        if isShared { hasShared = true }
        setIndices[sorted] = sets.count - 1
        return sets.count - 1
    }

    /// A queue no longer exists.
    mutating func forget(queue: UInt32) {
        for index in queuesByResource.indices { queuesByResource[index].removeAll { $0 == queue } }
    }

    mutating func note(queue: UInt32, needs set: Int) {
        for need in sets[set] where !queuesByResource[need.resource].contains(queue) {
            queuesByResource[need.resource].append(queue)
        }
    }

    func has(_ set: Int) -> Bool {
        sets[set].allSatisfy { available[$0.resource] >= $0.amount }
    }

    /// How often what a set needs is available.
    func room(_ set: Int) -> Int {
        sets[set].reduce(Int.max) { min($0, max(0, available[$1.resource]) / $1.amount) }
    }

    /// Takes what an operation needs.
    mutating func take(_ set: Int) {
        for need in sets[set] {
            available[need.resource] -= need.amount
            if terms[need.resource] > 0 { lent[need.resource] += need.amount }
        }
    }

    /// Gives back what an operation has held until its end.
    mutating func giveBack(_ set: Int) {
        for need in sets[set] where terms[need.resource] == 0 { available[need.resource] += need.amount }
    }

    /// The term of one start has passed.
    mutating func termPassed(_ resource: Int) {
        lent[resource] -= 1
        available[resource] += 1
    }
}
