internal import Scheduling

/// Identities of operations in plain memory: on their way to and from the scheduler, or in a queue.
final class IdentityList {
    private var memory: UnsafeMutablePointer<OperationID>
    private var capacity = 64
    private(set) var count = 0

    init() {
        memory = .allocate(capacity: capacity)
    }

    deinit {
        memory.deallocate()
    }

    @inline(__always)
    func push(_ id: OperationID) {
        if count == capacity { grow() }
        (memory + count).initialize(to: id)
        count += 1
    }

    /// Takes the last one.
    @inline(__always)
    func pop() -> OperationID? {
        guard count > 0 else { return nil }
        count -= 1
        return memory[count]
    }

    func reverse() {
        let all = UnsafeMutableBufferPointer(start: memory, count: count)
        for place in 0..<count / 2 { all.swapAt(place, count - 1 - place) }
    }

    /// Keeps those that fulfil a condition, in their order.
    func keep(_ condition: (OperationID) -> Bool) {
        var kept = 0
        for index in 0..<count where condition(memory[index]) {
            memory[kept] = memory[index]
            kept += 1
        }
        count = kept
    }

    func filter(_ condition: (OperationID) -> Bool) -> [OperationID] {
        UnsafeMutableBufferPointer(start: memory, count: count).filter(condition)
    }

    private func grow() {
        let larger = UnsafeMutablePointer<OperationID>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: memory, count: count)
        memory.deallocate()
        memory = larger
        capacity *= 2
    }
}
