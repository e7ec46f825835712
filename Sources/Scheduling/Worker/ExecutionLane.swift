/// The kind of place a body runs on.
///
/// Worker lanes differ in niceness: a thread cannot take its niceness back, so each lane has threads of its own.
package enum ExecutionLane: UInt8, Sendable, CaseIterable {
    /// The thread that reads the events, which fetches its operations itself.
    case reader
    /// A Swift task; holds no thread.
    case task
    /// No body: groups, which end when their last operation ends.
    case group
    /// Worker threads at niceness 0.
    case worker
    /// Worker threads at niceness -10, if the process is permitted to set it.
    case workerHigh
    /// Worker threads at niceness +10.
    case workerLow
    /// Worker threads at niceness +19.
    case workerLowest

    package static let count = 7

    /// The niceness of the lane's threads; nil for lanes without threads.
    package var niceness: Int32? {
        switch self {
        case .reader, .task, .group: nil
        case .worker: 0
        case .workerHigh: -10
        case .workerLow: 10
        case .workerLowest: 19
        }
    }

    /// Bit n: lane n has threads.
    static let workerMask: UInt16 = 0x78

    /// The lanes with threads.
    static let workers: [ExecutionLane] = [.worker, .workerHigh, .workerLow, .workerLowest]

    /// The lane's bit in a set of lanes.
    @inline(__always)
    var bit: UInt16 { 1 << UInt16(rawValue) }

    /// The first lane of a set; nil for none.
    @inline(__always)
    static func first(in lanes: UInt16) -> ExecutionLane? {
        lanes == 0 ? nil : ExecutionLane(rawValue: UInt8(lanes.trailingZeroBitCount))
    }

    package var isWorker: Bool { rawValue >= ExecutionLane.worker.rawValue }

    /// The lane for a closure: the nicer one of the lane of its class and the lane of its thread priority.
    ///
    /// - Parameter mayBeRaised: Whether the process may set a negative niceness; otherwise a thread priority above 0.5
    ///   counts as 0.5.
    package init(
        qualityOfService: OperationQualityOfService,
        threadPriority: Double = 0.5,
        mayBeRaised: Bool = true
    ) {
        if qualityOfService == .background || threadPriority < 0.25 {
            self = .workerLowest
        } else if qualityOfService == .utility || threadPriority < 0.5 {
            self = .workerLow
        } else {
            self = threadPriority > 0.5 && mayBeRaised ? .workerHigh : .worker
        }
    }
}
