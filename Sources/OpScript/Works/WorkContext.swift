public import Logging
internal import Synchronization

/// The view of its operation that a Swift closure has while it executes.
///
/// A closure gets it by declaring a parameter: `{ (context: WorkContext, path: String) in … }`. This parameter takes
/// none of the script's arguments. Usable from any thread; each attempt of an operation has a context of its own.
public final class WorkContext: Sendable {
    /// The operation's name.
    public let name: String

    /// The number of the attempt, from 1.
    public let attempt: Int

    private let isCancelledFlag = Atomic<Bool>(false)
    let completedUnits = Atomic<Int64>(0)
    let totalUnits = Atomic<Int64>(0)

    /// Whether a handler waits for the next report of progress.
    private let wantsReport = Atomic<Bool>(false)

    private let lock = Mutex(())
    /// Guarded by `lock`.
    // Outside the mutex, since releasing a context without extras takes fewer steps this way.
    private nonisolated(unsafe) var extras: Extras?

    /// Fields that only few contexts have.
    private final class Extras {
        var logger: Logger?
        var cancelHandlers: [@Sendable () -> Void] = []
        var reportHandler: (@Sendable () -> Void)?
        var progressText: String?
        var program: (any RunningProgram)?
        var shownName: String?
        var outputMode: ProgramOutputMode?
        var programHandlers: [@Sendable (any RunningProgram) -> Void] = []
    }

    /// The extras, made when first needed.
    ///
    /// - Precondition: `lock` is held, or the context is not shared yet.
    private func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    /// Creates a context that belongs to no operation, for calling a work's function directly.
    ///
    /// - Parameters:
    ///   - name: The value of ``name``.
    ///   - attempt: The value of ``attempt``.
    ///   - logger: The value of ``logger``; nil, the default, for one that discards everything.
    public init(name: String = "work", attempt: Int = 1, logger: Logger? = nil) {
        self.name = name
        self.attempt = attempt
        if let logger { makeExtras().logger = logger }
    }

    /// The logger for the closure: ``ScriptEngine/Configuration/logger`` with the operation's name, identity,
    /// queue and place of creation as metadata (`operation`, `operation-id`, `queue`, `created-at`). If the
    /// configuration has none, this one discards everything.
    public var logger: Logger {
        lock.withLock { _ in extras?.logger } ?? Logger(label: "opscript") { _ in SwiftLogNoOpLogHandler() }
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

    /// Calls `handler` once when the operation is cancelled; immediately if it already is.
    ///
    /// The handler is called on the thread that cancels, or on the calling thread, and must not block.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let runNow = lock.withLock { _ in
            if isCancelledFlag.load(ordering: .acquiring) { return true }
            makeExtras().cancelHandlers.append(handler)
            return false
        }
        if runNow { handler() }
    }

    /// Marks the context cancelled and calls the handlers; a second call does nothing.
    public func cancel() {
        let handlers = lock.withLock { _ in
            isCancelledFlag.store(true, ordering: .releasing)
            defer { extras?.cancelHandlers = [] }
            return extras?.cancelHandlers ?? []
        }
        for handler in handlers { handler() }
    }

    /// Calls `handler` once, at the next report of progress, on the thread that reports.
    func onReport(_ handler: @escaping @Sendable () -> Void) {
        lock.withLock { _ in makeExtras().reportHandler = handler }
        wantsReport.store(true, ordering: .sequentiallyConsistent)
    }

    /// The name that the script gave the operation; nil if it gave none.
    package var shownName: String? { lock.withLock { _ in extras?.shownName } }

    /// How the output of the operation's programs is shown; nil for the general way.
    package var outputMode: ProgramOutputMode? { lock.withLock { _ in extras?.outputMode } }

    /// - Precondition: The context is not shared yet.
    func setDisplay(name: String?, mode: ProgramOutputMode?) {
        let extras = makeExtras()
        extras.shownName = name
        extras.outputMode = mode
    }

    /// The program that the closure runs, or ran last in this attempt.
    var program: (any RunningProgram)? { lock.withLock { _ in extras?.program } }

    /// Sets the program, and returns the handlers to be called with it.
    func setProgram(_ program: any RunningProgram) -> [@Sendable (any RunningProgram) -> Void] {
        lock.withLock { _ in
            let extras = makeExtras()
            extras.program = program
            defer { extras.programHandlers = [] }
            return extras.programHandlers
        }
    }

    /// Calls `handler` once with the program; on the calling thread if there is one already.
    func onProgram(_ handler: @escaping @Sendable (any RunningProgram) -> Void) {
        let program = lock.withLock { _ in
            let extras = makeExtras()
            if extras.program == nil { extras.programHandlers.append(handler) }
            return extras.program
        }
        if let program { handler(program) }
    }

    var progressText: String? {
        get { lock.withLock { _ in extras?.progressText } }
        set { lock.withLock { _ in makeExtras().progressText = newValue } }
    }

    fileprivate func reported() {
        guard wantsReport.load(ordering: .sequentiallyConsistent),
            wantsReport.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        lock.withLock { _ in extras?.reportHandler }?()
    }

    /// The closure's progress; a script reads the values that the closure writes here as `op.progress`.
    public var progress: WorkProgress {
        WorkProgress(context: self)
    }
}

/// The progress of a closure: units completed of a total.
///
/// A view of its context: copies show the same numbers. Usable from any thread.
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

    /// How many units are done; the fraction never exceeds 1.
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

    /// A text for people about the present step of the closure. It is shown with the progress of a run; a script
    /// reads it as `op.progress.localizedDescription`. nil, the default, for no text.
    public var localizedDescription: String? {
        get { context.progressText }
        nonmutating set { context.progressText = newValue }
    }

    /// Sets both numbers.
    public func report(completed: Int64, of total: Int64) {
        context.totalUnits.store(max(0, total), ordering: .relaxed)
        completedUnitCount = completed
    }
}
