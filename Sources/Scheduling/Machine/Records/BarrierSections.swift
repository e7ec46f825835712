/// The barriers of a queue that have not finished, and the operations that wait for them.
///
/// A barrier begins a section; operations added after it belong to that section until the next barrier. A
/// section is open when its barrier, and all barriers before it, have finished with any outcome. The first
/// barrier in line may start when no unfinished operation is left in the open sections.
struct BarrierSections {
    private struct Section {
        var barrier: OperationID
        var isBarrierFinished = false
        /// Unfinished operations in it, without its barrier.
        var unfinishedCount = 0
        /// Operations that are released by their dependencies but not by the barrier.
        var held: [OperationID] = []
    }

    /// Sections that are not open; those before `head` are.
    private var sections: [Section] = []
    private var head = 0
    /// The number of the first section that is not open.
    ///
    /// The numbers keep increasing.
    private(set) var firstClosed: UInt32 = 1
    /// Unfinished operations in open sections.
    private(set) var openCount = 0

    /// Whether all barriers have finished.
    var isEmpty: Bool { sections.count == head }

    /// The number of the section to which operations are added.
    private var last: UInt32 { firstClosed &+ UInt32(sections.count - head) &- 1 }

    /// Whether a section is open.
    @inline(__always)
    func isOpen(_ section: UInt32) -> Bool { Int32(bitPattern: section &- firstClosed) < 0 }

    /// Whether the barrier of a section may start.
    func isFirst(_ section: UInt32) -> Bool { section == firstClosed && openCount == 0 }

    /// An operation is added; returns the number of its section.
    @inline(__always)
    mutating func add() -> UInt32 {
        if isEmpty {
            openCount += 1
            return firstClosed &- 1
        }
        sections[sections.count - 1].unfinishedCount += 1
        return last
    }

    /// A barrier is added; returns the number of its section.
    mutating func add(barrier: OperationID) -> UInt32 {
        sections.append(Section(barrier: barrier))
        return last
    }

    /// Keeps an operation until its section is open.
    mutating func hold(_ id: OperationID, section: UInt32) {
        sections[head + Int(section &- firstClosed)].held.append(id)
    }

    /// An operation finished; returns the operations that may start because of that.
    mutating func finished(section: UInt32) -> OperationID? {
        guard isOpen(section) else {
            sections[head + Int(section &- firstClosed)].unfinishedCount -= 1
            return nil
        }
        openCount -= 1
        return openCount == 0 ? firstBarrier : nil
    }

    /// A barrier finished; returns the operations that may start because of that.
    mutating func barrierFinished(section: UInt32) -> [OperationID] {
        sections[head + Int(section &- firstClosed)].isBarrierFinished = true
        var released: [OperationID] = []
        while head < sections.count, sections[head].isBarrierFinished {
            released += sections[head].held
            sections[head].held = []
            openCount += sections[head].unfinishedCount
            head += 1
            firstClosed &+= 1
        }
        if head == sections.count {
            sections.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head >= 64, head * 2 >= sections.count {
            sections.removeSubrange(..<head)
            head = 0
        }
        if openCount == 0, let firstBarrier { released.append(firstBarrier) }
        return released
    }

    /// The barrier that is next.
    var firstBarrier: OperationID? { head < sections.count ? sections[head].barrier : nil }
}
