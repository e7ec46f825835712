internal import Glibc
import OpScript
import Synchronization
import TestSupport
import Testing

/// The contexts of closures that many workers execute.
@Suite struct WorkContextTests {
    /// Contexts that closures got, which lives as long as the test.
    private final class Kept: Sendable {
        private let contexts = Mutex<[Int: WorkContext]>([:])

        var all: [Int: WorkContext] { contexts.withLock { $0 } }

        func keep(_ context: WorkContext, _ number: Int) { contexts.withLock { $0[number] = context } }
    }

    @Test func `a context that a closure keeps belongs to no other operation`() async throws {
        let kept = Kept()
        let engine = ScriptEngine()
        engine.register("keep") { (context: WorkContext, number: Int) in
            if number % 3 != 0 { kept.keep(context, number) }
            if number % 3 == 1 { context.progress.report(completed: Int64(number), of: 1_000) }
        }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue()
                for number = 1, 300 do queue:addOperation(work.keep(number)) end
                queue:waitUntilAllOperationsAreFinished()
                """
        )
        #expect(report.failures.isEmpty && report.succeeded == 300)
        let all = kept.all
        #expect(Set(all.values.map(ObjectIdentifier.init)).count == 200)
        for (number, context) in all {
            #expect(!context.isCancelled)
            #expect(context.progress.completedUnitCount == (number % 3 == 1 ? Int64(number) : 0))
        }
        // One is cancelled long after its operation has ended: no other closure is notified.
        all[1]?.cancel()
        #expect(all.values.count { $0.isCancelled } == 1)
    }

    /// The next operation on the same worker, of the same definition, is not affected.
    @Test func `a context has no traces of earlier operations`() async throws {
        let engine = ScriptEngine()
        engine.register("leave") { (context: WorkContext, number: Int) -> String in
            let found =
                "\(context.isCancelled) \(context.progress.totalUnitCount) \(context.progress.completedUnitCount)"
            switch number % 4 {
            case 1: context.cancel()
            case 2: context.progress.completedUnitCount = 5
            case 3: context.progress.totalUnitCount = 5
            default: context.onCancel { Issue.record("of another operation") }
            }
            return found
        }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                local operations = {}
                for number = 1, 100 do
                    operations[number] = work.leave(number)
                    queue:addOperation(operations[number])
                end
                queue:waitUntilAllOperationsAreFinished()
                for _, operation in ipairs(operations) do
                    assert(operation.result == "false 0 0", operation.result)
                end
                """
        )
        #expect(report.failures.isEmpty && report.succeeded == 100)
    }

    /// Lua bodies use the slots of closures that have gone, and closures those of Lua bodies.
    @Test func `a context has no traces of a Lua body that was cancelled before`() async throws {
        let engine = ScriptEngine()
        engine.register("isCancelled") { (context: WorkContext) in context.isCancelled }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue()
                local function ask()
                    local operations = {}
                    for number = 1, 50 do operations[number] = work.isCancelled() end
                    queue:addOperations(operations)
                    queue:waitUntilAllOperationsAreFinished()
                    for _, operation in ipairs(operations) do assert(operation.result == false) end
                end
                local function cancel()
                    for _ = 1, 50 do queue:addOperation(function() sleep(60) end) end
                    sleep(0)
                    queue:cancelAllOperations()
                    queue:waitUntilAllOperationsAreFinished()
                end
                for _, use in ipairs { ask, cancel, ask } do
                    use()
                    for _ = 1, 3 do collectgarbage() sleep(0) end
                end
                """
        )
        #expect(report.failures.isEmpty && report.succeeded == 100 && report.cancelled == 50)
    }

    /// Holds closures back, each on its worker, until the test lets them continue.
    private final class Gate: @unchecked Sendable {
        // @unchecked because semaphores are safe for several threads.
        private let came = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        private let opened = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

        init() {
            sem_init(came, 0, 0)
            sem_init(opened, 0, 0)
        }

        deinit {
            for semaphore in [came, opened] {
                sem_destroy(semaphore)
                semaphore.deallocate()
            }
        }

        private static func wait(_ semaphore: UnsafeMutablePointer<sem_t>) {
            while sem_wait(semaphore) != 0 {}
        }

        func pass() {
            sem_post(came)
            Self.wait(opened)
        }

        /// Returns when as many closures are held.
        func wait(for count: Int) { for _ in 0..<count { Self.wait(came) } }

        func open(for count: Int) { for _ in 0..<count { sem_post(opened) } }
    }

    @Test(.timeLimit(.minutes(20))) func `each of many closures is cancelled by its own operation`()
        async throws
    {
        let gate = Gate()
        let told = Mutex<[Int]>([])
        let engine = ScriptEngine()
        engine.register("hold") { (context: WorkContext, number: Int) -> Bool in
            context.onCancel { told.withLock { $0.append(number) } }
            gate.pass()
            if context.isCancelled { throw CancellationError() }
            return true
        }
        engine.register("held") { (count: Int) in gate.wait(for: count) }
        engine.register("letGo") { gate.open(for: 40) }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue()
                queue.maxConcurrentOperationCount = 4
                local operations = {}
                for number = 1, 40 do
                    operations[number] = work.hold(number)
                    queue:addOperation(operations[number])
                end
                await(work.held(4))
                local progress = operations[3].progress
                for number = 2, 40, 2 do operations[number]:cancel() end
                await(work.letGo())
                queue:waitUntilAllOperationsAreFinished()
                for number, operation in ipairs(operations) do
                    local expected = number % 2 == 0 and "cancelled" or "succeeded"
                    assert(operation.outcome == expected, number .. " " .. operation.outcome)
                end
                for number = 2, 40, 2 do operations[number]:cancel() end
                """
        )
        #expect(report.failures.isEmpty && report.succeeded == 20 && report.cancelled == 20)
        #expect(told.withLock { $0.sorted() } == [2, 4])
    }
}
