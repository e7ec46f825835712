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
    /// Set 0 is the empty one.
    private(set) var sets: [[Need]] = [[]]
    private var setIndices: [[Need]: Int] = [[]: 0]
    /// For each resource the queues that ever needed it.
    private(set) var queuesByResource: [[UInt32]] = []

    func index(of name: String) -> Int? { names.firstIndex(of: name) }

    /// Sets how much there is in all; amounts that are taken stay taken.
    mutating func setTotal(_ name: String, _ total: Int) {
        if let index = index(of: name) {
            available[index] += total - totals[index]
            totals[index] = total
        } else {
            names.append(name)
            totals.append(total)
            available.append(total)
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

    mutating func take(_ set: Int) {
        for need in sets[set] { available[need.resource] -= need.amount }
    }

    mutating func giveBack(_ set: Int) {
        for need in sets[set] { available[need.resource] += need.amount }
    }
}
