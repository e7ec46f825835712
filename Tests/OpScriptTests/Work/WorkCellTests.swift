import Synchronization
import TestSupport
import Testing

@testable import OpScript

/// The states of a closure in a cell.
@Suite struct WorkCellTests {
    /// A cell with a closure, as the script thread fills it.
    private final class Filled: @unchecked Sendable {
        // @unchecked because a cell is made for several threads.
        let cell = UnsafeMutablePointer<WorkCell>.allocate(capacity: 1)
        let definition: WorkDefinition

        init(
            takesContext: Bool = true,
            _ body: @escaping @Sendable (WorkContext?) throws -> ScriptValue = { _ in .nil }
        ) {
            definition = WorkDefinition(
                name: "closure",
                summary: "",
                parameters: [],
                takesContext: takesContext,
                body: .sync { try body($0.context) }
            )
            cell.initialize(to: WorkCell())
            cell.fill(Unmanaged.passUnretained(definition), .none)
        }

        deinit {
            cell.deinitialize(count: 1)
            cell.deallocate()
        }
    }

    /// What a closure throws.
    private struct Failure: Error {}

    /// Notes the context that a closure got, and keeps it no longer than it lives.
    private final class Seen: Sendable {
        private struct Reference: Sendable { weak var context: WorkContext? }

        private let reference = Mutex(Reference())

        var context: WorkContext? { reference.withLock { $0.context } }

        func note(_ context: WorkContext?) { reference.withLock { $0.context = context } }
    }

    @Test func `a closure gets a context, which ends with it`() throws {
        let seen = Seen()
        let filled = Filled {
            seen.note($0)
            #expect($0?.name == "closure" && $0?.attempt == 1 && $0?.isCancelled == false)
            return .integer(7)
        }
        #expect(filled.cell.value == nil)
        try filled.cell.execute()
        #expect(seen.context == nil)
        #expect(filled.cell.value == .integer(7) && filled.cell.endedValue == .integer(7))
        #expect(filled.cell.contextForProgress() == nil)
        #expect(filled.cell.cancel() == nil)
    }

    @Test func `what takes no context has none`() throws {
        let filled = Filled(takesContext: false) {
            #expect($0 == nil)
            return .boolean(true)
        }
        #expect(filled.cell.contextForProgress() == nil)
        #expect(filled.cell.cancel() == nil)
        try filled.cell.execute()
        #expect(filled.cell.value == .boolean(true))
        #expect(filled.cell.contextForProgress() == nil)
    }

    @Test func `what is told to stop before it begins knows it`() throws {
        let filled = Filled { .boolean($0?.isCancelled == true) }
        #expect(filled.cell.cancel() == nil)
        try filled.cell.execute()
        #expect(filled.cell.value == .boolean(true))
    }

    @Test func `what is told to stop while it executes knows it, and one that has ended does not`() throws {
        let place = Mutex<Filled?>(nil)
        let kept = Mutex<WorkContext?>(nil)
        let filled = Filled { context in
            kept.withLock { $0 = context }
            place.withLock { $0 }?.cell.cancel()?()
            return .boolean(context?.isCancelled == true)
        }
        try filled.cell.execute()
        #expect(filled.cell.value == .boolean(false))
        #expect(filled.cell.cancel() == nil)
        #expect(kept.withLock { $0?.isCancelled } == false)
        filled.cell.empty()
        filled.cell.fill(Unmanaged.passUnretained(filled.definition), .none)
        place.withLock { $0 = filled }
        try filled.cell.execute()
        #expect(filled.cell.value == .boolean(true))
        place.withLock { $0 = nil }
    }

    @Test func `who asks before it begins gets the context that the closure gets`() throws {
        let kept = Mutex<WorkContext?>(nil)
        let filled = Filled { context in
            kept.withLock { $0 = context }
            context?.progress.report(completed: 1, of: 4)
            return .nil
        }
        let asked = filled.cell.contextForProgress()
        #expect(asked != nil && filled.cell.contextForProgress() === asked)
        try filled.cell.execute()
        #expect(kept.withLock { $0 === asked })
        #expect(asked?.progress.fractionCompleted == 0.25)
        #expect(filled.cell.contextForProgress() === asked)
    }

    @Test func `asked for and told to stop, in both orders, it is one cancelled context`() throws {
        for cancelsFirst in [true, false] {
            let filled = Filled { .boolean($0?.isCancelled == true) }
            let told = cancelsFirst ? filled.cell.cancel() : nil
            let asked = filled.cell.contextForProgress()
            if !cancelsFirst { filled.cell.cancel()?() }
            #expect(told == nil)
            try filled.cell.execute()
            #expect(filled.cell.value == .boolean(true) && asked?.isCancelled == true)
        }
    }

    @Test func `what has failed keeps its progress and gives nothing`() {
        let filled = Filled { context in
            context?.progress.report(completed: 1, of: 2)
            throw Failure()
        }
        #expect(throws: Failure.self) { try filled.cell.execute() }
        #expect(filled.cell.value == nil && filled.cell.endedValue == nil)
        #expect(filled.cell.contextForProgress()?.progress.fractionCompleted == 0.5)
    }

    @Test func `a context that is of use no more ends with its cell`() throws {
        let seen = Seen()
        let filled = Filled { context in
            seen.note(context)
            context?.progress.totalUnitCount = 1
            return .nil
        }
        try filled.cell.execute()
        #expect(seen.context != nil)
        filled.cell.empty()
        #expect(seen.context == nil)

        filled.cell.fill(Unmanaged.passUnretained(filled.definition), .none)
        seen.note(filled.cell.contextForProgress())
        #expect(seen.context != nil)
        filled.cell.empty()
        #expect(seen.context == nil)
        filled.cell.fill(Unmanaged.passUnretained(filled.definition), .none)
        try filled.cell.execute()
        #expect(filled.cell.contextForProgress() === seen.context && seen.context?.isCancelled == false)
    }

    /// Has several threads go on at the same moment.
    private final class Start: Sendable {
        private let missing: Atomic<Int>

        init(of count: Int) { missing = Atomic(count) }

        func together() {
            missing.subtract(1, ordering: .relaxed)
            while missing.load(ordering: .relaxed) > 0 {}
        }
    }

    /// Whoever looks gets hold of the context while the closure begins and ends, which lets go of it.
    @Test(.timeLimit(.minutes(20))) func `asking and cancelling go together with beginning and ending`()
        async throws
    {
        for round in 0..<300 {
            let filled = Filled { context in
                if round % 2 == 0 { context?.progress.totalUnitCount = 1 }
                return .boolean(context?.isCancelled == true)
            }
            let start = Start(of: 3)
            async let asked = blocking {
                start.together()
                return filled.cell.contextForProgress()
            }
            async let cancelled = blocking {
                start.together()
                let tell = filled.cell.cancel()
                tell?()
                return tell != nil
            }
            async let executed: Void = blocking {
                start.together()
                try filled.cell.execute()
            }
            let (context, wasTold, _) = try await (asked, cancelled, executed)
            let hasStopped = filled.cell.value == .boolean(true)
            if round % 2 == 0 {
                let last = filled.cell.contextForProgress()
                #expect(last != nil && (context == nil || context === last))
                #expect(last?.isCancelled == true || !hasStopped && !wasTold)
            } else {
                #expect(filled.cell.contextForProgress() == nil)
            }
            if wasTold, let context { #expect(context.isCancelled) }
        }
    }
}
