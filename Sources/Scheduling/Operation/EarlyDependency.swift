/// The one dependency of an operation that the machine does not know, in the eight bytes of an identity: a held handle.
///
/// Most operations are wired before anybody knows them, and to one other. As long as that is all, no record and no edge is
/// needed: operations in a row that are added together run one after the other as a stretch.
struct EarlyDependency {
    /// Set in the lower half, which no identity of an operation that the machine knows has set.
    private static let unknownBit: UInt32 = 1 << 31
    /// Set in the upper half, which no other sign has set.
    private static let earlyBit: UInt32 = 1 << 31
    private static let dependedOnBit: UInt32 = 1 << 30

    /// What is depended on.
    let operation: Unmanaged<ScheduledOperation>
    /// Whether another one depends on the one that depends.
    let isDependedOn: Bool

    /// Nil where the object lies where none was expected.
    init?(on operation: Unmanaged<ScheduledOperation>, isDependedOn: Bool) {
        let address = UInt(bitPattern: operation.toOpaque())
        // As everywhere on the machines that Swift knows: multiples of 16 below 2^48.
        if address & ~0xffff_ffff_fff0 != 0 { return nil }
        self.operation = operation
        self.isDependedOn = isDependedOn
    }

    @inline(__always)
    init?(_ packed: OperationID) {
        guard packed.slot & Self.unknownBit != 0, packed.generation & Self.earlyBit != 0 else { return nil }
        let upper = UInt(packed.generation & ~(Self.earlyBit | Self.dependedOnBit))
        let address = (upper << 31 | UInt(packed.slot & ~Self.unknownBit)) << 4
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
        operation = .fromOpaque(pointer)
        isDependedOn = packed.generation & Self.dependedOnBit != 0
    }

    @inline(__always)
    var packed: OperationID {
        let bits = UInt(bitPattern: operation.toOpaque()) >> 4
        var upper = UInt32(truncatingIfNeeded: bits >> 31) | Self.earlyBit
        if isDependedOn { upper |= Self.dependedOnBit }
        return OperationID(
            slot: UInt32(truncatingIfNeeded: bits) | Self.unknownBit,
            generation: upper
        )
    }
}

extension OperationID {
    /// Whether it is one that the machine gave; else it is a sign for one that the machine does not know.
    @inline(__always)
    var isGiven: Bool { Int32(bitPattern: slot) >= 0 }
}
