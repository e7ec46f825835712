internal import Synchronization

/// How far the closure in a cell has come: the address of its context, and flags in the low bits of the same word.
///
/// Who executes the closure changes the word without a lock: to a context when it begins, and to `hasEnded` when it ends. Everybody else
/// does so behind a lock, and says `isLookedAt` before it gets hold of the context: then who executes the closure cannot let go of
/// the context without that lock.
struct WorkCellState: RawRepresentable, AtomicRepresentable {
    private static let looked: UInt = 1
    private static let cancelled: UInt = 2
    private static let ended: UInt = 4
    private static let flags = looked | cancelled | ended

    let rawValue: UInt

    init(rawValue: UInt) { self.rawValue = rawValue }

    /// Nobody has done anything with it.
    static var untouched: Self { Self(rawValue: 0) }

    /// - Parameter context: One reference to it goes with the state, and nobody counts it.
    init(_ context: Unmanaged<WorkContext>?) {
        rawValue = UInt(bitPattern: context?.toOpaque())
    }

    /// What the closure is told, and reports to.
    var context: Unmanaged<WorkContext>? {
        UnsafeRawPointer(bitPattern: rawValue & ~Self.flags).map { Unmanaged.fromOpaque($0) }
    }

    /// It was told to stop before it had a context.
    var isCancelled: Bool { rawValue & Self.cancelled != 0 }

    /// The closure has returned or thrown. If there is a context still, it has reported how far it had come.
    var hasEnded: Bool { rawValue & Self.ended != 0 }

    /// The same, where somebody is about to keep the context.
    var lookedAt: Self { Self(rawValue: rawValue | Self.looked) }

    /// The same, told to stop.
    var whenCancelled: Self { Self(rawValue: rawValue | Self.cancelled) }

    /// The same after the end.
    var whenEnded: Self { Self(rawValue: rawValue | Self.ended) }

    /// The same with a context, which it had not.
    func with(_ context: Unmanaged<WorkContext>) -> Self {
        Self(rawValue: rawValue | Self(context).rawValue)
    }
}
