internal import Synchronization

/// A Swift closure with its arguments, and what became of it, in memory beside the operations instead of an object of its own.
///
/// For closures that take no results of other operations, are tried once and are not listened to: all others have a ``WorkBody``. The script
/// thread fills and empties the cell while its operation does not execute.
struct WorkCell: ~Copyable {
    // In this order it is 48 bytes. And who executes the closure uses the address of a part: the thread sanitizer takes that for a change of
    // what lies first, which therefore is what nobody else looks at meanwhile.

    /// Set by who executes the closure, before `state` says that it has ended; nil where it gave nothing.
    fileprivate var result: ScriptValue?
    /// Nil where it is empty. Whoever fills it sees to it that the definition lives as long as all cells.
    fileprivate(set) var definition: Unmanaged<WorkDefinition>?
    /// As the script gave them.
    fileprivate(set) var arguments = ArgumentList.none
    fileprivate let state = Atomic(WorkCellState.untouched)

    deinit { state.load(ordering: .relaxed).context?.release() }
}

/// Held by those who change the state of a cell and do not execute its closure. One for all cells, since that is rare and short.
private let looks = Mutex(())

// Of the pointer, since two threads may use different parts of a cell.
extension UnsafeMutablePointer<WorkCell> {
    /// - Precondition: It is empty.
    @inline(__always)
    func fill(_ definition: Unmanaged<WorkDefinition>, _ arguments: consuming ArgumentList) {
        pointee.definition = definition
        // It is empty, and what is there need not be looked at: another core may have its line.
        let place = withUnsafeMutablePointer(to: &pointee.arguments) { $0 }
        place.initialize(to: arguments)
    }

    @inline(__always)
    func empty() {
        pointee.definition = nil
        // Most are plain, and there is nothing to be let go of.
        switch pointee.arguments {
        case .none, .one(.integer), .one(.number), .one(.boolean):
            withUnsafeMutablePointer(to: &pointee.arguments) { $0.initialize(to: .none) }
        default: pointee.arguments = .none
        }
        switch pointee.result {
        case nil, .integer, .number, .boolean:
            withUnsafeMutablePointer(to: &pointee.result) { $0.initialize(to: nil) }
        default: pointee.result = nil
        }
        pointee.state.load(ordering: .relaxed).context?.release()
        pointee.state.store(.untouched, ordering: .relaxed)
    }

    /// What the closure gave, where several values are a `ResultList`; nil where it has not returned.
    ///
    /// - Precondition: The operation has ended, and the script thread knows of it.
    @inline(__always)
    var endedValue: ScriptValue? { pointee.result }

    /// The same where it is a value that needs no reference; nil for all else.
    @inline(__always)
    var endedPlainValue: OperationBlock.PlainResult? {
        switch pointee.result {
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .boolean(let flag): .boolean(flag)
        default: nil
        }
    }

    /// The same at any time and on any thread.
    var value: ScriptValue? { pointee.state.load(ordering: .acquiring).hasEnded ? pointee.result : nil }

    // MARK: Executing

    /// Calls the closure and keeps what it gives.
    func execute() throws {
        guard let definition = pointee.definition else { return }
        try definition._withUnsafeGuaranteedRef { definition in
            let arguments = UnsafePointer(withUnsafeMutablePointer(to: &pointee.arguments) { $0 })
            guard definition.takesContext else {
                defer { pointee.state.store(WorkCellState.untouched.whenEnded, ordering: .releasing) }
                return keep(try definition.call(WorkArguments(arguments, nil)))
            }
            let context = begin(definition)
            defer { end(context) }
            keep(try definition.call(WorkArguments(arguments, context)))
        }
    }

    /// There is no result yet that would have to be let go of.
    private func keep(_ result: consuming ScriptValue) {
        let place = withUnsafeMutablePointer(to: &pointee.result) { $0 }
        place.initialize(to: result)
    }

    /// The context, to which the cell holds a reference until ``end(_:)``.
    private func begin(_ definition: WorkDefinition) -> Unmanaged<WorkContext> {
        let context = Unmanaged.passRetained(WorkContext(name: definition.name))
        let (isFirst, _) = pointee.state.compareExchange(
            expected: .untouched,
            desired: WorkCellState(context),
            ordering: .acquiringAndReleasing
        )
        return isFirst ? context : beginAfterOthers(context)
    }

    /// Somebody has asked how far it has come, or told it to stop, after it was handed out and before it got here.
    private func beginAfterOthers(_ own: Unmanaged<WorkContext>) -> Unmanaged<WorkContext> {
        let former = looks.withLock { _ in
            let former = pointee.state.load(ordering: .acquiring)
            pointee.state.store(WorkCellState(former.context ?? own), ordering: .releasing)
            return former
        }
        if former.context != nil { own.release() }
        let context = former.context ?? own
        if former.isCancelled { context._withUnsafeGuaranteedRef { $0.cancel() } }
        return context
    }

    /// A context that reported no progress is of no use any more.
    private func end(_ context: Unmanaged<WorkContext>) {
        let hasReported = context._withUnsafeGuaranteedRef { $0.progress.totalUnitCount != 0 }
        let ended = WorkCellState(hasReported ? context : nil).whenEnded
        let (isAlone, _) = pointee.state.compareExchange(
            expected: WorkCellState(context),
            desired: ended,
            ordering: .acquiringAndReleasing
        )
        if !isAlone { looks.withLock { _ in pointee.state.store(ended, ordering: .releasing) } }
        if !hasReported { context.release() }
    }

    // MARK: Looking at it meanwhile

    /// What there was to be looked at.
    private enum Look {
        /// A context, with a reference for who looked.
        case context(Unmanaged<WorkContext>)
        /// No context: the state was changed.
        case changed
        /// It had ended, with a context if it had reported progress.
        case ended(Unmanaged<WorkContext>?)
    }

    /// Gets hold of the context.
    ///
    /// - Parameter change: What becomes of the state where there is none.
    private func look(orElse change: (WorkCellState) -> WorkCellState) -> Look {
        looks.withLock { _ in
            var state = pointee.state.load(ordering: .acquiring)
            while true {
                if state.hasEnded { return .ended(state.context) }
                let (isDone, other) = pointee.state.compareExchange(
                    expected: state,
                    desired: state.context == nil ? change(state) : state.lookedAt,
                    ordering: .acquiringAndReleasing
                )
                guard isDone else {
                    // Who executes it has begun or ended meanwhile.
                    state = other
                    continue
                }
                guard let context = state.context else { return .changed }
                _ = context.retain()
                pointee.state.store(state, ordering: .releasing)
                return .context(context)
            }
        }
    }

    /// What the closure reports to, or will; nil where it takes no context, or has ended without a report.
    ///
    /// On the script thread, which alone empties the cell.
    func contextForProgress() -> WorkContext? {
        guard let definition = pointee.definition?.takeUnretainedValue(), definition.takesContext else {
            return nil
        }
        let made = WorkContext(name: definition.name)
        let own = Unmanaged.passRetained(made)
        switch look(orElse: { $0.with(own) }) {
        case .changed: return made
        case .context(let context):
            own.release()
            return context.takeRetainedValue()
        case .ended(let context):
            own.release()
            return context?.takeUnretainedValue()
        }
    }

    /// The operation, which executes, is to stop. What is returned tells the closure.
    func cancel() -> (@Sendable () -> Void)? {
        guard case .context(let held) = look(orElse: \.whenCancelled) else { return nil }
        let context = held.takeRetainedValue()
        return { context.cancel() }
    }
}
