public import Logging
internal import Synchronization

/// What the Swift closure of an operation sees of its operation while it executes.
///
/// A closure gets it by naming it as a parameter: `{ (context: WorkContext, path: String) in … }`. It takes none of
/// the script's arguments. Usable from any thread; each attempt of an operation has a context of its own.
public final class WorkContext: Sendable {
    /// The operation's name.
    public let name: String

    /// Which attempt this is, counted from 1.
    public let attempt: Int

    private let givenLogger: Logger?
    private let cancellation: Mutex<Cancellation>
    private let isCancelledFlag = Atomic<Bool>(false)
    let completedUnits = Atomic<Int64>(0)
    let totalUnits = Atomic<Int64>(0)

    /// Whether somebody wants to know of the next report of progress.
    private let wantsReport = Atomic<Bool>(false)
    private let reportHandler = Mutex<(@Sendable () -> Void)?>(nil)

    /// Guarded by `cancellation`.
    private struct Cancellation {
        var handlers: [@Sendable () -> Void] = []
    }

    /// Makes a context that belongs to no operation, for calling a work's function by hand.
    ///
    /// - Parameters:
    ///   - name: What ``name`` is.
    ///   - attempt: What ``attempt`` is.
    ///   - logger: What ``logger`` is; nil, the default, for one that drops all it is told.
    public init(name: String = "work", attempt: Int = 1, logger: Logger? = nil) {
        self.name = name
        self.attempt = attempt
        givenLogger = logger
        cancellation = Mutex(Cancellation())
    }

    /// Where the closure may log: ``ScriptEngine/Configuration/logger`` with the operation's name, identity, queue and place of creation
    /// as metadata (`operation`, `operation-id`, `queue`, `created-at`). Without one in the configuration it drops all it is told.
    public var logger: Logger {
        givenLogger ?? Logger(label: "opscript") { _ in SwiftLogNoOpLogHandler() }
    }

    /// Whether the operation was cancelled or its time ran out: the closure should return soon.
    public var isCancelled: Bool {
        isCancelledFlag.load(ordering: .acquiring)
    }

    /// Returns if the operation is not cancelled.
    ///
    /// - Throws: `CancellationError` if it is.
    public func checkCancellation() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Has `handler` called once when the operation is cancelled; at once if it is already.
    ///
    /// It is called on the thread that cancels, or on this one, and must not block.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let runNow = cancellation.withLock { state in
            if isCancelledFlag.load(ordering: .acquiring) { return true }
            state.handlers.append(handler)
            return false
        }
        if runNow { handler() }
    }

    /// Marks the context cancelled and calls the handlers; a second call does nothing.
    public func cancel() {
        let handlers = cancellation.withLock { state in
            isCancelledFlag.store(true, ordering: .releasing)
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Has `handler` called once, when progress is reported next, on the thread that reports.
    func onReport(_ handler: @escaping @Sendable () -> Void) {
        reportHandler.withLock { $0 = handler }
        wantsReport.store(true, ordering: .sequentiallyConsistent)
    }

    fileprivate func reported() {
        guard wantsReport.load(ordering: .sequentiallyConsistent),
            wantsReport.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        reportHandler.withLock { $0 }?()
    }

    /// How far the closure has come; what it writes here a script reads as `op.progress`.
    public var progress: WorkProgress {
        WorkProgress(context: self)
    }
}

/// How far a closure has come: units completed of a total.
///
/// A view on its context: copies show the same numbers. Usable from any thread.
public struct WorkProgress: Sendable {
    let context: WorkContext

    /// How many units there are; 0, the default, while it is not known.
    public var totalUnitCount: Int64 {
        get { context.totalUnits.load(ordering: .relaxed) }
        nonmutating set {
            context.totalUnits.store(max(0, newValue), ordering: .sequentiallyConsistent)
            context.reported()
        }
    }

    /// How many units are done; the fraction never goes over 1.
    public var completedUnitCount: Int64 {
        get { context.completedUnits.load(ordering: .relaxed) }
        nonmutating set {
            context.completedUnits.store(max(0, newValue), ordering: .sequentiallyConsistent)
            context.reported()
        }
    }

    /// From 0 to 1; 0 while the total is not known.
    public var fractionCompleted: Double {
        let total = totalUnitCount
        return total > 0 ? min(1, Double(completedUnitCount) / Double(total)) : 0
    }

    /// Sets both numbers.
    public func report(completed: Int64, of total: Int64) {
        context.totalUnits.store(max(0, total), ordering: .relaxed)
        completedUnitCount = completed
    }
}
