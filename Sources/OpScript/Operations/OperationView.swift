internal import Scheduling

/// The script's view of one operation: the memory of its userdata.
///
/// It changes only by the script's own actions and between turns, when events are taken in. It holds plain
/// numbers only, so reading a property is a load; Lua values are in the userdata's user values.
struct OperationView {
    /// The kind of its body.
    enum Kind: UInt8 {
        /// A Swift closure.
        case work
        /// A Lua function that is done when it returns.
        case main
        /// A Lua function that only starts the work; `finish` ends the operation.
        case start
        /// None: the operations inside have to finish.
        case group
        /// No body: `finish`, `fail` or `cancel` end it.
        case gate
        /// None: it waits for a time.
        case sleep
        /// A Swift closure under virtual time, or its stand-in: the script thread runs it.
        case simulated
    }

    /// The operation's type, as scripts know it.
    enum TypeName: UInt8 {
        case operation, block, invocation, group, gate, subclass

        var text: String {
            switch self {
            case .operation: "Operation"
            case .block: "BlockOperation"
            case .invocation: "InvocationOperation"
            case .group: "GroupOperation"
            case .gate: "Gate"
            case .subclass: "Operation"
            }
        }
    }

    struct Flags: OptionSet {
        let rawValue: UInt32
        static let isReady = Flags(rawValue: 1 << 0)
        static let isCancelled = Flags(rawValue: 1 << 1)
        /// Was added to a queue, or started by hand.
        static let isSubmitted = Flags(rawValue: 1 << 2)
        static let allowsFailure = Flags(rawValue: 1 << 3)
        /// A function of the `await` family has delivered its failure to the script.
        static let isHandedOut = Flags(rawValue: 1 << 4)
        static let hasCompletion = Flags(rawValue: 1 << 5)
        static let hasFields = Flags(rawValue: 1 << 6)
        static let hasName = Flags(rawValue: 1 << 7)
        static let hasDependencies = Flags(rawValue: 1 << 8)
        /// Finished, and its observers, completion block and waiters have been served.
        static let isSettled = Flags(rawValue: 1 << 9)
        /// `start` of an asynchronous operation has returned.
        static let startReturned = Flags(rawValue: 1 << 10)
        /// The user value `outcome` holds an error.
        static let hasError = Flags(rawValue: 1 << 11)
        /// A block operation with more than one block, or with operations as blocks.
        static let hasBlocks = Flags(rawValue: 1 << 12)
        static let isBarrier = Flags(rawValue: 1 << 13)
        /// Its time ran out, or it was cancelled, but its body still runs.
        static let wasToldToStop = Flags(rawValue: 1 << 14)
        static let isAsync = Flags(rawValue: 1 << 15)
        static let wasStartedByHand = Flags(rawValue: 1 << 16)
        /// `finish` or `fail` was called.
        static let wasEnded = Flags(rawValue: 1 << 18)
        /// It received a dependency at some time.
        static let wasWired = Flags(rawValue: 1 << 21)
        /// Another operation was made to depend on it at some time.
        static let wasDependedOn = Flags(rawValue: 1 << 19)
        static let runsOnMain = Flags(rawValue: 1 << 17)
        /// Its run ended without it: its end is neither reported nor counted.
        static let isAbandoned = Flags(rawValue: 1 << 22)
        /// The time of its present attempt is over, and nothing else cancelled it.
        static let isTimedOut = Flags(rawValue: 1 << 20)
        /// The script cancelled it before it saw its end.
        static let endsAsCancelled = Flags(rawValue: 1 << 23)
        /// A group that failed because of operations which the script has cancelled since.
        static let endsAsSucceeded = Flags(rawValue: 1 << 31)
        /// It was skipped, and its error is made when it is read: the user value `outcome` holds the operation at
        /// which the trouble began, or an error that names it, and `resultCount` the place of the dependency through
        /// which it came.
        static let hasUnreadError = Flags(rawValue: 1 << 25)
        /// It represents an operation of another scheduler.
        static let isForeign = Flags(rawValue: 1 << 24)
        /// The script has read its result, if that is a Lua object, or passed it on.
        static let isResultUsed = Flags(rawValue: 1 << 27)
        /// A program ran in a step that it waited for.
        static let hasRunProgram = Flags(rawValue: 1 << 28)
        /// A plan runs it, because it only reads.
        static let isReadByPlan = Flags(rawValue: 1 << 29)
        /// A wait of a body submitted it.
        static let isStepOfBody = Flags(rawValue: 1 << 30)
        /// A wait submitted it.
        static let belongsToWaits = Flags(rawValue: 1 << 26)
    }

    /// A result that needs no Lua object; it is in the view itself, and not among the user values.
    enum PlainResult {
        case none
        case boolean(Bool)
        case integer(Int64)
        case number(Double)
    }

    /// The kind of a plain result, in one byte: together with the result's bits, the view fills one cache line.
    private enum PlainKind: UInt8 { case none, boolean, integer, number }

    /// The way in which an operation got a recorded result.
    enum Reuse: UInt8 {
        case none, recorded, upToDate
    }

    /// The identity of the metatable, by which the userdata is recognised; must be the first field.
    let identity: UnsafeRawPointer
    var id: OperationID
    var flags: Flags = []
    var kind: Kind
    var type: TypeName
    var state: OperationState = .pending
    /// Meaningful once finished.
    var outcome: OperationOutcome = .succeeded
    var priority: OperationPriority = .normal
    var qualityOfService: OperationQualityOfService?
    var attempt: UInt16 = 0
    /// How many results there are. One result is in `plainResult` or in the value itself, several are in a table there.
    var resultCount: Int16 = 0
    private var plainKind = PlainKind.none
    /// Why its body did not run although it succeeded.
    var reuse = Reuse.none
    /// The place where it was created.
    var source: Int32 = 0
    var line: Int32 = 0
    /// Index of its queue, or -1.
    var queue: Int32 = -1
    /// Index of its Swift closure in the catalogue, or -1.
    var work: Int32 = -1
    /// Distinguishes the queues that had that index one after the other; 0 for queues that live as long as
    /// the run.
    var queueNumber: UInt32 = 0
    /// The places of its Lua values.
    var values: OperationValuePlaces
    private var plainBits: UInt64 = 0
    /// Its place in the order in which operations finished, from 1; 0 before its end.
    var endNumber: UInt64 = 0

    init(
        identity: UnsafeRawPointer,
        id: OperationID,
        kind: Kind,
        type: TypeName,
        source: Int32,
        line: Int32,
        work: Int32
    ) {
        self.identity = identity
        self.id = id
        flags = [.isReady]
        self.kind = kind
        self.type = type
        self.source = source
        self.line = line
        self.work = work
        values = OperationValuePlaces(count: OperationValue.count(kind))
    }

    /// When its last attempt started, on the scheduler's clock; valid until there is a plain result.
    var startedAt: Int64 {
        get { Int64(bitPattern: plainBits) }
        set { plainBits = UInt64(bitPattern: newValue) }
    }

    /// Before its first attempt: how many turns come before its body. The turns that existed when it became ready serve
    /// the end that released it.
    var startsAfterTurns: Int {
        get { attempt == 0 ? Int(truncatingIfNeeded: plainBits) : 0 }
        set { if attempt == 0 { plainBits = UInt64(truncatingIfNeeded: newValue) } }
    }

    var plainResult: PlainResult {
        get {
            switch plainKind {
            case .none: .none
            case .boolean: .boolean(plainBits != 0)
            case .integer: .integer(Int64(bitPattern: plainBits))
            case .number: .number(Double(bitPattern: plainBits))
            }
        }
        set {
            switch newValue {
            case .none: plainKind = .none
            case .boolean(let flag): (plainKind, plainBits) = (.boolean, flag ? 1 : 0)
            case .integer(let number): (plainKind, plainBits) = (.integer, UInt64(bitPattern: number))
            case .number(let number): (plainKind, plainBits) = (.number, number.bitPattern)
            }
        }
    }

    var isFinished: Bool { state == .finished }

    /// Whether it is a Swift closure or a Lua function that has not been added yet.
    var isPlain: Bool {
        (kind == .work || kind == .main || kind == .start) && state == .pending
            && flags.isDisjoint(with: [.isSubmitted, .isForeign])
    }
}

typealias OperationPointer = UnsafeMutablePointer<OperationView>

/// Data that only few operations have: observers, further waits, an inner queue.
final class OperationAttachment {
    var observations: [Observation] = []
    /// Waits for its end that began after the one in the operation's entry.
    var laterWaits: [Wait] = []
    /// The inner queue of a group.
    var inner: ScriptQueue?
    /// The blocks of a block operation that executes.
    var blocks: BlockRun?
    /// The descriptions from which its blocks that are operations are made anew for the next attempt.
    var renewals: [Int: BlockRenewal] = [:]
    /// The box from which Swift closures that take its result as an argument read it.
    var resultBox: ResultBox?
    /// The facts for a journal about a body in Lua.
    var ticket: JournalTicket?
    /// The operation of another scheduler that it represents.
    var foreign: (any ForeignOperation)?
    /// The timer of a `work.sleep`, or of a closure's stand-in under virtual time.
    var sleepTimer: TimerHandle?
    /// The error that a closure fails with when its time is over, under virtual time.
    var simulatedFailure: (any Error)?
    /// Its place on a cluster in memory, under virtual time.
    var placement: ClusterPlacement?
    /// Whether it was executing when it finished; for its observers.
    var wasExecutingAtEnd = false
    /// The first failure inside a group: its name and its error.
    var innerFailure: (name: String, error: ErrorValue)?
    /// The error of the program for which its body waited when the time of the last attempt was over.
    var programAtTimeLimit: ScriptError?
    /// Its progress, if it was ever requested.
    var progress: ScriptProgress?
    /// Called when its end has been served.
    var afterEnd: [AfterEnd] = []

    func takeLaterWaits() -> [Wait] {
        let waits = laterWaits
        laterWaits = []
        return waits
    }

    enum AfterEnd {
        case leave(DispatchGroup)
        case endItem(DispatchWorkItem)
        /// Notifies code outside the runtime.
        case tell(() -> Void)
    }
}
