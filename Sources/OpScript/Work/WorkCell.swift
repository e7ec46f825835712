internal import Synchronization

/// A Swift closure with its arguments, and what became of it, in memory beside the operations instead of an object of its own.
///
/// For closures that take no results of other operations, are tried once and are not listened to: all others have a ``WorkBody``. The script
/// thread fills and empties the cell while its operation does not execute.
struct WorkCell: ~Copyable {
    /// What the closure is told, and what it gave.
    enum Content {
        case nothing
        /// What it is told; made when it starts, or when somebody wants to know how far it has come.
        case context(WorkContext)
        case result(ScriptValue)
        /// It said how far it had come.
        case both(Ended)
    }

    final class Ended: Sendable {
        let context: WorkContext
        let result: ScriptValue

        init(_ context: WorkContext, _ result: ScriptValue) {
            self.context = context
            self.result = result
        }
    }

    // In this order it is 48 bytes.

    /// Nil where it is empty. Whoever fills it sees to it that the definition lives as long as all cells.
    fileprivate(set) var definition: Unmanaged<WorkDefinition>?
    /// As the script gave them.
    fileprivate(set) var arguments = ArgumentList.none
    /// Behind `lock`, until the operation has ended.
    fileprivate var content = Content.nothing
    /// Behind `lock`. It was told to stop before it had a context.
    fileprivate var isCancelled = false
    fileprivate let lock = Mutex(())
}

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
        pointee.arguments = .none
        pointee.content = .nothing
        pointee.isCancelled = false
    }

    /// What the closure gave, where several values are a `ResultList`; nil where it has not returned.
    ///
    /// - Precondition: The operation has ended, and the script thread knows of it.
    @inline(__always)
    var endedValue: ScriptValue? {
        switch pointee.content {
        case .result(let value): value
        case .both(let ended): ended.result
        case .nothing, .context: nil
        }
    }

    /// The same where it is a value that needs no reference; nil for all else.
    @inline(__always)
    var endedPlainValue: OperationBlock.PlainResult? {
        switch pointee.content {
        case .result(.integer(let integer)): .integer(integer)
        case .result(.number(let number)): .number(number)
        case .result(.boolean(let flag)): .boolean(flag)
        default: nil
        }
    }

    /// The same at any time and on any thread.
    var value: ScriptValue? { pointee.lock.withLock { _ in endedValue } }

    /// What the closure reports to, or will; nil where it takes no context, or has ended without a report.
    func contextForProgress() -> WorkContext? {
        guard let definition = pointee.definition?.takeUnretainedValue(), definition.takesContext else {
            return nil
        }
        return pointee.lock.withLock { _ in
            switch pointee.content {
            case .nothing: makeContext(definition)
            case .context(let context): context
            case .both(let ended): ended.context
            case .result: nil
            }
        }
    }

    private func makeContext(_ definition: WorkDefinition) -> WorkContext {
        let context = WorkContext(name: definition.name)
        pointee.content = .context(context)
        return context
    }

    /// Calls the closure and keeps what it gives.
    func execute() throws {
        guard let definition = pointee.definition else { return }
        try definition._withUnsafeGuaranteedRef { definition in
            guard case .sync(let body) = definition.body else {
                preconditionFailure("'\(definition.name)' is async and was given to a worker")
            }
            let context = definition.takesContext ? begin(definition) : nil
            var value: ScriptValue?
            defer { end(value) }
            value = try body(WorkArguments(pointee.arguments, context))
        }
    }

    private func begin(_ definition: WorkDefinition) -> WorkContext {
        pointee.lock.withLock { _ in
            let context =
                if case .context(let made) = pointee.content { made } else { makeContext(definition) }
            // Told after it was handed out, and before it got here.
            if pointee.isCancelled { context.cancel() }
            return context
        }
    }

    /// A context that reported no progress is of no use any more.
    private func end(_ value: ScriptValue?) {
        let former = pointee.lock.withLock { _ in
            let former = pointee.content
            switch (former, value) {
            case (.context(let context), let value?) where context.progress.totalUnitCount != 0:
                pointee.content = .both(WorkCell.Ended(context, value))
            case (.context(let context), nil) where context.progress.totalUnitCount != 0: break
            case (_, let value?): pointee.content = .result(value)
            case (_, nil): pointee.content = .nothing
            }
            return former
        }
        // What it holds goes outside the lock.
        _ = consume former
    }

    /// The operation, which executes, is to stop. What is returned tells the closure.
    func cancel() -> (@Sendable () -> Void)? {
        pointee.lock.withLock { _ in
            if case .context(let context) = pointee.content { return { context.cancel() } }
            pointee.isCancelled = true
            return nil
        }
    }
}
