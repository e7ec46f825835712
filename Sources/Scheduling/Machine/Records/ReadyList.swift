/// Operations that only wait for their turn: by priority, then in the order of addition.
///
/// Most operations become ready in the order in which they were added, so each priority is a plain first-in
/// first-out buffer; those that come out of order go to a small heap beside it. Entries that become stale (cancelled,
/// moved to another priority) stay until they reach the front, and are recognised by their token.
struct ReadyList {
    struct Entry {
        var sequence: UInt64
        var slot: UInt32
        var token: UInt32
    }

    struct Level {
        private var fifo: EntryFIFO
        private var heap: [Entry] = []
        /// How many are in the heap.
        private var heapCount = 0
        /// Entries that are not stale.
        var liveCount = 0

        init(_ pool: EntryPool) { fifo = EntryFIFO(pool) }

        @inline(__always)
        mutating func insert(_ entry: Entry) {
            liveCount += 1
            if fifo.count == 0 || fifo.lastSequence < entry.sequence {
                fifo.append(entry)
            } else {
                insertIntoHeap(entry)
            }
        }

        @inline(never)
        private mutating func insertIntoHeap(_ entry: Entry) {
            heap.append(entry)
            heapCount = heap.count
            siftUp(heap.count - 1)
        }

        @inline(__always)
        var first: Entry? { heapCount == 0 ? fifo.first : firstOfBoth }

        @inline(never)
        private var firstOfBoth: Entry? {
            switch (fifo.first, heap.first) {
            case (let a?, let b?): a.sequence < b.sequence ? a : b
            case (let a?, nil): a
            case (nil, let b): b
            }
        }

        /// Entries, stale ones included.
        var entryCount: Int { fifo.count + heapCount }

        /// Drops all entries.
        mutating func removeAll() {
            fifo.removeAll()
            heap = []
            heapCount = 0
            liveCount = 0
        }

        /// Drops the stale entries.
        mutating func compact(isLive: (Entry) -> Bool) {
            fifo.filter(isLive)
            // A sorted array is a heap.
            heap = heap.filter(isLive).sorted { $0.sequence < $1.sequence }
            heapCount = heap.count
        }

        @inline(__always)
        mutating func removeFirst() {
            if heapCount == 0 { fifo.removeFirst() } else { removeFirstOfBoth() }
        }

        @inline(never)
        private mutating func removeFirstOfBoth() {
            if let entry = fifo.first, entry.sequence < heap[0].sequence { return fifo.removeFirst() }
            let last = heap.removeLast()
            heapCount = heap.count
            if !heap.isEmpty {
                heap[0] = last
                siftDown()
            }
        }

        private mutating func siftUp(_ start: Int) {
            var position = start
            while position > 0 {
                let parent = (position - 1) / 2
                guard heap[position].sequence < heap[parent].sequence else { return }
                heap.swapAt(position, parent)
                position = parent
            }
        }

        private mutating func siftDown() {
            var position = 0
            while true {
                var smallest = position
                for child in [2 * position + 1, 2 * position + 2]
                where child < heap.count && heap[child].sequence < heap[smallest].sequence {
                    smallest = child
                }
                guard smallest != position else { return }
                heap.swapAt(position, smallest)
                position = smallest
            }
        }
    }

    private var levels: InlineArray<5, Level>
    /// Bit n: level n has live entries.
    private var liveLevels: UInt8 = 0
    private(set) var liveCount = 0

    /// Makes an empty list, with memory from a pool.
    init(_ pool: EntryPool = EntryPool()) { levels = InlineArray(repeating: Level(pool)) }

    /// Drops all entries, and gives their memory back.
    mutating func removeAll() {
        for level in levels.indices { levels[level].removeAll() }
        liveLevels = 0
        liveCount = 0
    }

    @inline(__always)
    func liveCount(level: Int) -> Int { levels[level].liveCount }

    @inline(__always)
    mutating func insert(_ entry: Entry, level: Int) {
        levels[level].insert(entry)
        liveLevels |= 1 << UInt8(level)
        liveCount += 1
    }

    /// A live entry of a level is no longer in the list, or became stale.
    @inline(__always)
    private mutating func lost(level: Int) {
        levels[level].liveCount -= 1
        if levels[level].liveCount == 0 { liveLevels &= ~(1 << UInt8(level)) }
        liveCount -= 1
    }

    /// Notes that an entry of a level became stale; it is dropped when it reaches the front.
    mutating func invalidate(level: Int) { lost(level: level) }

    /// Whether most entries of a level are stale, and there are more than a few.
    func isMostlyStale(level: Int) -> Bool {
        entryCount(level: level) > 2 * liveCount(level: level) + 64
    }

    /// How many entries a level has, stale ones included.
    func entryCount(level: Int) -> Int { levels[level].entryCount }

    /// Drops the stale entries of a level.
    ///
    /// - Complexity: O(entries of the level); O(1) for each stale one if called when a level is mostly stale.
    mutating func compact(level: Int, isLive: (Entry) -> Bool) {
        levels[level].compact(isLive: isLive)
    }

    /// The next live entry; drops stale ones on the way.
    ///
    /// - Complexity: O(1) amortised.
    @inline(__always)
    mutating func first(isLive: (Entry) -> Bool) -> (entry: Entry, level: Int)? {
        if liveLevels == 0 { return nil }
        let level = liveLevels.trailingZeroBitCount
        return first(level: level, isLive: isLive).map { ($0, level) }
    }

    /// The next live entry of a level; drops stale ones on the way.
    ///
    /// - Complexity: O(1) amortised.
    @inline(__always)
    mutating func first(level: Int, isLive: (Entry) -> Bool) -> Entry? {
        guard levels[level].liveCount > 0 else { return nil }
        while let entry = levels[level].first {
            if isLive(entry) { return entry }
            levels[level].removeFirst()
        }
        return nil
    }

    /// Removes the entry that `first` returned.
    @inline(__always)
    mutating func removeFirst(level: Int) {
        levels[level].removeFirst()
        lost(level: level)
    }
}
