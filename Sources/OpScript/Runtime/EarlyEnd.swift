internal import LuaVM
internal import Scheduling

/// An end that the script thread knows of, and the script does not see yet.
struct EarlyEnd: BitwiseCopyable {
    let block: OperationPointer
    /// Its identity until then; in the list of its queue it still stands by it.
    let formerID: OperationID
}

/// An operation whose completion block is called.
struct ServedOperation: BitwiseCopyable {
    let id: OperationID
    /// One whose end was taken in early is anchored until it is settled.
    let anchored: OperationPointer?
}

/// Ends that were taken in early, in their order.
///
/// Confined to the script thread. Their memory is used again once all of them are shown.
final class EarlyEndList {
    private let ends = ChunkedStorage<EarlyEnd>()
    private var next: UInt32 = 0
    /// How many may be shown before somebody looks for what else has happened.
    var leftUntilLook = 0

    @inline(__always)
    var isEmpty: Bool { next == ends.count }

    @inline(__always)
    func append(_ end: EarlyEnd) { ends.append(end) }

    /// Takes the first one, and has those fetched that follow soon: where there are very many, most of the time goes to waiting for
    /// their memory.
    @inline(__always)
    func popFirst() -> EarlyEnd? {
        guard next < ends.count else { return nil }
        let end = ends.pointer(next).pointee
        next += 1
        if next == ends.count {
            ends.removeAll()
            next = 0
        } else if next + 8 < ends.count {
            let later = UnsafeRawPointer(ends.pointer(next + 8).pointee.block)
            // Its user values lie in front of it.
            CacheLine.prefetch(later - 64)
            CacheLine.prefetch(later)
            CacheLine.prefetch(later + 64)
        }
        return end
    }

    func forEach(_ body: (EarlyEnd) -> Void) {
        for place in next..<ends.count { body(ends.pointer(place).pointee) }
    }
}

extension OperationID {
    /// What stands for the identity of an operation whose end was taken in early: its place among the anchors.
    static func anchored(at place: UInt32) -> OperationID { OperationID(slot: .max - 1, generation: place) }

    /// What stands for the identity of one that had none at its end. The same only for the same operation.
    static func gone(_ number: UInt32) -> OperationID { OperationID(slot: .max - 2, generation: number) }

    /// The place among the anchors that it stands for, if it does.
    @inline(__always)
    var place: UInt32? { slot == .max - 1 ? generation : nil }
}
