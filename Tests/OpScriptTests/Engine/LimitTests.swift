import OpScript
import Testing

struct LimitTests {
    private func engine(_ change: (inout ScriptEngine.Configuration) -> Void) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.standardError = { _ in }
        change(&configuration)
        return ScriptEngine(configuration)
    }

    /// Scripts that would never end, each in another place.
    static let endlessScripts = [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "await(async(function() while true do end end))",
        "local op = async(sleep, 0); op.completionBlock = function() while true do end end",
        "Timer.scheduledTimer(0.001, false, function() while true do end end)",
        "local c = coroutine.wrap(function() while true do end end); c()",
        "table.sort({ 1, 2, 3 }, function() while true do end end)",
        "('a'):rep(4000):find('.-.-.-.-b')",
        "('a'):rep(4000):match('(.*)(.*)(.*)%3%2%1b')",
        "('a'):rep(4000):gsub('.-.-.-.-b', '')",
        "for _ in ('a'):rep(4000):gmatch('.-.-.-.-b') do end",
        "while true do pcall(string.find, ('a'):rep(4000), '.-.-.-.-b') end",
        "local x <close> = setmetatable({}, { __close = function() ('a'):rep(4000):find('.-.-.-.-b') end }) while true do end",
        "while true do load(function() while true do end end) end",
        "local m = {} m.__close = function() local x <close> = setmetatable({}, m) while true do end end local x <close> = setmetatable({}, m) while true do end",
        "local x <close> = setmetatable({}, { __close = function() while true do coroutine.wrap(function() end)() end end }) while true do end",
    ]

    /// A script whose instructions take long: it reaches a time limit much earlier than an instruction limit.
    static let slow = """
        local x <close> = setmetatable({}, { __close = function() while true do local _ = ('x'):rep(1000000) end end }) while true do end
        """

    @Test(arguments: endlessScripts + [slow])
    func `a script that never waits is stopped by the limit of a slice`(script: String) async throws {
        let engine = engine { $0.sliceLimit = .milliseconds(20) }
        await #expect {
            try await engine.run(script, named: "@job.lua")
        } throws: { error in
            guard let error = error as? ScriptError, error.code == .limit else { return false }
            return error.message == "job.lua:1: the script ran longer than its limit (0.02 s) without a wait"
                && error.traceback?.contains("job.lua:1:") == true
        }
        // The engine is usable as before.
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }

    @Test(arguments: endlessScripts)
    func `… and by the limit of instructions`(script: String) async throws {
        let engine = engine { $0.instructionLimit = 100_000 }
        await #expect {
            try await engine.run(script, named: "@job.lua")
        } throws: { error in
            (error as? ScriptError)?.code == .limit
                && "\(error)"
                    == "job.lua:1: the script executed more instructions than its limit (100000) without a wait"
        }
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }

    /// Scripts that would never end where Lua runs outside of any coroutine, each in another place.
    static let endlessTexts = [
        "error(endless)",
        "async(error, endless)",
        "local op = async(sleep, 0); op.completionBlock = function() error(endless) end",
        "Timer.scheduledTimer(0.001, false, function() error(endless) end)",
    ]

    @Test(.timeLimit(.minutes(10)), arguments: endlessTexts)
    func `the text of an error that never ends is left out`(script: String) async throws {
        // Long enough that only an endless script meets it, on a busy machine, too.
        let engine = engine { $0.sliceLimit = .milliseconds(300) }
        try await engine.evaluate(Self.endless)
        let report = await engine.report(
            source: Array(script.utf8),
            named: "@job.lua",
            script: nil,
            interpreter: [],
            arguments: []
        )
        #expect(report.exitCode == 1)
        let messages = report.failures.map(\.message) + [report.error?.message ?? ""]
        #expect(messages.contains("(error object is a table value)"), "\(messages)")
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }

    @Test(.timeLimit(.minutes(10)))
    func `fields that are looked up by code have the limit of a slice`() async throws {
        let engine = engine { $0.sliceLimit = .milliseconds(20) }
        try await engine.evaluate(Self.endless)
        func isLimit(_ error: any Error) -> Bool { (error as? ScriptError)?.code == .limit }
        await #expect { try await engine.get("endless.field", as: Int.self) } throws: { isLimit($0) }
        await #expect { try await engine.set("endless.field", 1) } throws: { isLimit($0) }
        await #expect { try await engine.call("endless.field") } throws: { isLimit($0) }
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }

    private static let endless = """
        local function turn() while true do end end
        endless = setmetatable({}, { __tostring = turn, __index = turn, __newindex = turn })
        """

    @Test func `the report of a run that met a limit has status 4`() async throws {
        let engine = engine { $0.instructionLimit = 100_000 }
        let report = await engine.report(
            source: Array("OperationQueue():addOperation(function() while true do end end)".utf8),
            named: "@job.lua",
            script: nil,
            interpreter: [],
            arguments: []
        )
        #expect(report.exitCode == 4)
        #expect(report.failures.map(\.error.code) == [.limit])
    }

    @Test func `long work with waits in between is within the limits`() async throws {
        let engine = engine {
            $0.sliceLimit = .seconds(60)
            $0.instructionLimit = 200_000
        }
        let count = try await engine.evaluate(
            """
            local count = 0
            for round = 1, 100 do
                for i = 1, 10000 do count = count + 1 end
                sleep(0)
            end
            return count
            """,
            as: Int.self
        )
        #expect(count == 1_000_000)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 1000, Int.max])
    func `any number can be a limit`(number: Int) async throws {
        let engines = [
            engine { $0.memoryLimit = number },
            engine { $0.instructionLimit = number },
            engine { $0.sliceLimit = .nanoseconds(Int64(number)) },
            engine { $0.workers = number },
            engine { $0.jobLimit = number },
        ]
        for engine in engines {
            engine.register("one") { 1 }
            do {
                #expect(try await engine.evaluate("await(work.one())", as: Int.self) == 1)
                #expect(
                    try await engine.evaluate("await(isolate(function() return 1 end)())", as: Int.self) == 1
                )
            } catch let error as ScriptError {
                #expect(error.code == .limit || error.message.contains("memory"), "\(error)")
            }
        }
    }

    @Test func `memory has a limit`() async throws {
        let engine = engine { $0.memoryLimit = 8 << 20 }
        await #expect {
            try await engine.run(code: "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end")
        } throws: { error in
            "\(error)".contains("memory")
        }
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }

    @Test func `the contract's Lua parts can be read later if there was no room for them`() async throws {
        let engine = engine { $0.memoryLimit = 8 << 20 }
        for use in [
            "DispatchQueue.concurrentPerform(0, print)", "return OperationQueue.main.map", "require 'json'",
        ] {
            await #expect {
                try await engine.run(
                    code: """
                        local held, count, full = {}, collectgarbage, 8 * 1024 - 3
                        while count "count" < full or count() and count "count" < full do
                            held[#held + 1] = ("x"):rep(800, #held)
                        end
                        \(use)
                        """
                )
            } throws: { error in
                "\(error)".contains("the script used more memory than its limit")
            }
        }
        let count = try await engine.evaluate(
            """
            (function()
                local count = 0
                DispatchQueue.concurrentPerform(2, function() count = count + 1 end)
                return count + #OperationQueue.main:map({ 1 }, function(number) return number end) + #{ require 'json' }
            end)()
            """,
            as: Int.self
        )
        #expect(count == 4)
    }

    @Test func `a finalizer that no limit could stop is refused`() async throws {
        let engine = engine { $0.sliceLimit = .seconds(60) }
        await #expect {
            try await engine.run(
                code: "setmetatable({}, { __gc = function() while true do end end }) collectgarbage()"
            )
        } throws: { error in
            "\(error)".contains("a metatable with '__gc' is refused here")
        }
    }
}
