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
    /// Worker threads at niceness +2.
    case workerUtility
    /// Worker threads at niceness +10.
    case workerLow
    /// Worker threads at niceness +19.
    case workerLowest

    package static let count = 8

    /// The niceness of the lane's threads; nil for lanes without threads.
    package var niceness: Int32? {
        switch self {
        case .reader, .task, .group: nil
        case .worker: 0
        case .workerHigh: -10
        case .workerUtility: 2
        case .workerLow: 10
        case .workerLowest: 19
        }
    }

    /// Bit n: lane n has threads.
    static let workerMask: UInt16 = 0xf8

    package var isWorker: Bool { rawValue >= ExecutionLane.worker.rawValue }

    /// The lane for a closure of a quality of service; a thread priority other than 0.5 takes precedence over it.
    package init(qualityOfService: OperationQualityOfService, threadPriority: Double = 0.5) {
        if threadPriority < 0.25 {
            self = .workerLowest
        } else if threadPriority < 0.5 {
            self = .workerLow
        } else if threadPriority > 0.5 {
            self = .workerHigh
        } else {
            self =
                switch qualityOfService {
                case .background: .workerLow
                case .utility: .workerUtility
                case .default, .userInitiated, .userInteractive: .worker
                }
        }
    }
}
