import OpScript
import Synchronization
import Testing

/// Many runs in engines of their own.
struct ScriptEnginePoolTests {
    private final class Lines: Sendable {
        private let text = Mutex("")
        func add(_ bytes: [UInt8]) { text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
        var all: String { text.withLock { $0 } }
    }

    @Test func `each run has its own output, arguments and report`() async throws {
        let pool = ScriptEnginePool(count: 3) { engine in
            engine.register("square") { (number: Int) in number * number }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...40 {
                group.addTask {
                    let lines = Lines()
                    let report = try await pool.run(
                        code: "print(await(work.square(tonumber(arg[1]))))",
                        arguments: ["\(number)"]
                    ) { lines.add($0) }
                    #expect(lines.all == "\(number * number)\n")
                    #expect(report.steps == 1)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await pool.evaluate("await(work.square(3))", as: Int.self) == 9)
        #expect(try await pool.check(code: "pritn()").undefinedNames.map(\.name) == ["pritn"])
        #expect(pool.runningCount == 0 && pool.waitingCount == 0)
    }

    /// Ways to leave something behind for the next run: each writes, and reads what an earlier run wrote.
    static let smuggles = [
        "leak", "_G.leak", "string.leak", "table.leak", "math.leak", "coroutine.leak", "utf8.leak", "os.leak",
        "json.leak",
        "package.loaded.leak", "package.preload.leak", "getmetatable('').leak",
        "getmetatable('').__index.leak",
        "Operation.leak", "OperationQueue.leak", "OperationQueue.main.leak", "Timer.leak", "Gate.leak",
        "DispatchQueue.leak",
        "work.leak", "await.leak", "clock.leak", "require('opscript').leak", "require('json').null.leak",
        "arg.leak", "Progress.leak", "Data.leak", "DispatchSource.leak", "host.leak",
    ]

    @Test func `nothing of one run reaches another`() async throws {
        let pool = ScriptEnginePool(count: 1) { $0.registerFunction("host.now") { 1 } }
        for path in Self.smuggles {
            let seen = Lines()
            let code = """
                local ok, found = pcall(function() return \(path) end)
                print(ok and tostring(found) or "nil")
                pcall(function() \(path) = "smuggled" end)
                """
            for _ in 1...3 { _ = try await pool.run(code: code) { seen.add($0) } }
            #expect(seen.all == "nil\nnil\nnil\n", "\(path)")
        }
        let state = Lines()
        let code = """
            local q = OperationQueue.named and OperationQueue.main
            print(OperationQueue.main.operationCount, DispatchQueue.main:getSpecific("key"), q.name == "x")
            DispatchQueue.main:setSpecific("key", "smuggled")
            pcall(function() q.name = "x" end)
            OperationQueue { isSuspended = true }:addOperation(print)
            setmetatable(_G, { __index = function() return "smuggled" end })
            """
        for _ in 1...2 { _ = try? await pool.run(code: code) { state.add($0) } }
        #expect(state.all == "0\tnil\tfalse\n0\tnil\tfalse\n")
    }

    @Test func `runs beyond the count wait in their order, and can be cancelled there`() async throws {
        let (begun, hasBegun) = AsyncStream.makeStream(of: Int.self)
        let gate = Lines()
        let pool = ScriptEnginePool(count: 1) { engine in
            engine.register("begun") { (number: Int) in _ = hasBegun.yield(number) }
            engine.registerFunction("isOpen") { !gate.all.isEmpty }
        }
        @Sendable func start(_ number: Int) -> Task<ScriptReport, any Error> {
            Task { try await pool.run(code: "await(work.begun(\(number))) repeat sleep(0) until isOpen()") }
        }
        let first = start(1)
        var order = begun.makeAsyncIterator()
        #expect(await order.next() == 1)
        var others: [Task<ScriptReport, any Error>] = []
        for number in 2...4 {
            others.append(start(number))
            while pool.waitingCount < number - 1 { await Task.yield() }
        }
        others[1].cancel()
        await #expect { try await others[1].value } throws: {
            ($0 as? ScriptError)?.message == "the run was cancelled before its turn in the pool"
        }
        gate.add([1])
        _ = try await first.value
        #expect(await order.next() == 2)
        #expect(await order.next() == 4)
        _ = try await (others[0].value, others[2].value)
    }

    @Test(.timeLimit(.minutes(10))) func `a run that misbehaves does no harm to the next ones`() async throws
    {
        var configuration = ScriptEngine.Configuration.untrusted
        configuration.runLimit = .milliseconds(300)
        configuration.gracePeriod = .milliseconds(30)
        configuration.memoryLimit = 8 << 20
        configuration.standardError = { _ in }
        configuration.standardOutput = { _ in }
        let pool = ScriptEnginePool(configuration, count: 2)
        for code in [
            "while true do end", "while true do pcall(sleep, 0.01) end", "os.exit(3)", "error('x')",
            "x = = 1",
            "while true do pcall(string.rep, 'x', 1 << 30) end", "while true do print('0123456789') end",
            "local function f() f() end f()", "('a'):rep(4000):find('.-.-.-.-b')", "await(Gate())",
        ] {
            _ = try? await pool.run(code: code)
            #expect(try await pool.evaluate("1 + 1", as: Int.self) == 2)
        }
    }

    @Test func `after shutdown nothing runs, and runs in progress end`() async throws {
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let pool = ScriptEnginePool(count: 1) { $0.register("begun") { _ = hasBegun.yield() } }
        let run = Task { try await pool.run(code: "await(work.begun()) sleep(3600)") }
        for await _ in begun { break }
        let waiting = Task { try await pool.run(code: "") }
        while pool.waitingCount == 0 { await Task.yield() }
        pool.shutdown()
        for task in [run, waiting] {
            await #expect { try await task.value } throws: { ($0 as? ScriptError)?.code == .host }
        }
        await #expect { try await pool.run(code: "") } throws: { ($0 as? ScriptError)?.code == .host }
    }
}
