/// The first entries of the ready lists of a serial queue and of all queues below it, ordered by addition.
///
/// An item is inserted when a ready list gets a new first entry. Items are removed lazily: each use of an
/// item compares it with the ready list, and drops or corrects an outdated item.
struct FamilyReadyList {
    /// A ready list, and the number of the entry that was its first.
    struct Item {
        var sequence: UInt64
        var queue: UInt32
        var group: Int
    }

    /// A heap: each item comes no later than the two below it.
    private var items: [Item] = []

    var count: Int { items.count }

    /// The earliest.
    var first: Item? { items.first }

    /// - Complexity: O(log *n*).
    mutating func insert(_ item: Item) {
        items.append(item)
        var position = items.count - 1
        while position > 0 {
            let parent = (position - 1) / 2
            guard item.sequence < items[parent].sequence else { break }
            items[position] = items[parent]
            position = parent
        }
        items[position] = item
    }

    /// Takes the earliest out, and inserts `other`, if there is one.
    /// - Complexity: O(log *n*).
    mutating func replaceFirst(by other: Item?) {
        guard let last = other ?? items.last else { return }
        if other == nil { items.removeLast() }
        guard !items.isEmpty else { return }
        var position = 0
        while true {
            var child = 2 * position + 1
            guard child < items.count else { break }
            if child + 1 < items.count, items[child + 1].sequence < items[child].sequence { child += 1 }
            guard items[child].sequence < last.sequence else { break }
            items[position] = items[child]
            position = child
        }
        items[position] = last
    }
}
