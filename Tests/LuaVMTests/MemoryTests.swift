import Testing

@testable import LuaVM

@Suite struct MemoryTests {
    private static let limit = 8 << 20

    private func limited() -> TestHost {
        var configuration = LuaConfiguration.full
        configuration.memoryLimit = Self.limit
        let host = TestHost(configuration)
        host.define("fill") { raw in
            // A host function that allocates without checking a limit.
            let state = LuaState(raw)
            state.newTable()
            for i in 1...400_000 {
                state.push(i)
                state.rawSet(-2, i)
            }
            return 1
        }
        return host
    }

    @Test(
        .enabled(if: !isHostile, "too slow where each allocation collects everything"),
        arguments: [
            "return ('x'):rep(1000000000)",
            "local s = 'xxxxxxxx' while true do s = s .. s end",
            "return ('x'):rep(20000):gsub('x', ('y'):rep(10000))",
            "local t = {} while true do t = { t } end",
            "local t = {} for i = 1, math.huge do t[i] = function() return i end end",
            "local t = {} for i = 1, math.huge do t[i] = coroutine.create(print) end",
            "local t = {} for i = 1, math.huge do t[i] = ('k'):rep(100) .. i end",
            "local t = {} for i = 1, math.huge do t['key' .. i] = i end",
            "local function f() return 1 + f() end f()",
            "return table.unpack({}, 1, 100000000)",
            "return load(function() return 'x = 1 ' end) or error('none')",
            "return load('return {' .. ('1,'):rep(3000000) .. '}') or error('none')",
            "fill() fill() local a, b, c = fill(), fill(), fill() local t = { a, b, c }",
            "coroutine.wrap(function() local t = {} while true do t = { t } end end)()",
            "return table.concat(setmetatable({}, { __index = function() return ('x'):rep(1000) end, "
                + "__len = function() return 1000000 end }))",
        ]
    )
    func `a script that takes all memory gets an error and the machine stays usable`(_ bomb: String) throws {
        let host = limited()
        let before = host.vm.memoryInUse
        let error = try host.failure(bomb)
        let known = ["memory", "stack overflow", "too many", "none"]
        #expect(known.contains { error.message.contains($0) }, "\(error.message)")
        #expect(host.vm.peakMemory < Self.limit + Self.limit / 2)
        #expect(try host.results("return wait(1) + 1") == ["2"])
        host.vm.drainReleases()
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(host.vm.memoryInUse < before + (3 << 20))
    }

    @Test(.enabled(if: !isHostile, "too slow where each allocation collects everything"))
    func `a script cannot catch the limit`() throws {
        let host = limited()
        for attempt in [
            "pcall(function() local t = {} while true do t = { t, wait() } end end)",
            "pcall(string.rep, 'x', 1000000000)",
            "xpcall(string.rep, print, 'x', 1000000000)",
            "coroutine.resume(coroutine.create(string.rep), 'x', 1000000000)",
            "pcall(coroutine.wrap(string.rep), 'x', 1000000000)",
            "pcall(load, function() return ('x'):rep(100000) end)",
            "pcall(function() local a = {} for i = 1, 1e9 do a[i] = i end end)",
            "pcall(function() local s = 'x' while true do s = s .. s end end)",
        ] {
            let error = try host.failure("caught = 0 while true do \(attempt) caught = caught + 1 end")
            let text = error.message
            #expect(text.contains("memory limit of 8388608 bytes reached"), "\(attempt): \(text)")
            #expect(!error.frames.isEmpty, "\(attempt)")
            #expect(try host.results("return caught") == ["0"], "\(attempt)")
        }
    }

    @Test(.enabled(if: !isHostile, "too slow where each allocation collects everything"))
    func `the limit is raised with the frames of its place`() throws {
        let host = limited()
        let soft = try host.failure(
            "local function grow() local t = {} while true do t = { t } end end grow()"
        )
        #expect(soft.message == "memory limit of 8388608 bytes reached")
        #expect(soft.frames.first?.name == "grow")
        let hard = try host.failure("local function ask() return (('x'):rep(1000000000)) end ask()")
        #expect(hard.message == "memory limit of 8388608 bytes reached")
        #expect(hard.frames.contains { $0.name == "rep" })
    }

    @Test(.enabled(if: !isHostile, "too slow where each allocation collects everything"))
    func `garbage alone never reaches the limit`() throws {
        let host = limited()
        #expect(try host.results("for i = 1, 300000 do local t = { {}, {} } end return 'done'") == ["done"])
    }

    @Test func `a host function is never refused memory`() throws {
        let host = TestHost()
        host.vm.setMemoryLimit(1)
        host.main.newTable()
        for i in 1...1000 {
            host.main.push("text \(i)")
            host.main.rawSet(1, i)
        }
        #expect(host.main.rawLength(1) == 1000)
        host.vm.setMemoryLimit(0)
        #expect(try host.results("return 1") == ["1"])
    }

    @Test(.enabled(if: !isHostile, "finalizers run at once there, below no host function"))
    func `a finalizer that runs below a host function is refused memory`() throws {
        let host = limited()
        host.define("collect") { raw in
            let state = LuaState(raw)
            for number in 1...5000 {
                state.push("text \(number)")
                state.pop(1)
            }
            return 0
        }
        let results = try host.results(
            """
            local isBelow, refused, most = false, 0, 0
            for i = 1, 50 do
                setmetatable({}, { __gc = function()
                    if not isBelow then return end
                    local held = {}
                    local ok = pcall(function()
                        for k = 1, 64 do held[k] = ("x"):rep(1 << 20, k) most = math.max(most, k) end
                    end)
                    if not ok then refused = refused + 1 end
                end })
                isBelow = true
                collect()
                isBelow = false
            end
            return refused > 0, most
            """
        )
        #expect(results.first == "true")
        #expect(host.vm.peakMemory < Self.limit + Self.limit / 2, "\(results)")
    }

    @Test func `tiny limits end scripts and never the process`() throws {
        for limit in stride(from: 30_000, to: 60_000, by: isHostile ? 10_000 : 500) {
            let host = TestHost()
            host.vm.setMemoryLimit(limit)
            _ = try? host.run(
                """
                local t = {}
                for i = 1, 200 do
                    t[i] = coroutine.wrap(function() local s = ("x"):rep(i) wait(s) coroutine.yield({ s }) end)
                    pcall(t[i])
                end
                """
            )
            host.vm.setMemoryLimit(0)
            #expect(try host.results("return wait('ok')") == ["ok"])
        }
    }

    @Test func `all memory is counted and given back`() throws {
        let host = TestHost()
        host.vm.collectGarbage()
        let before = host.vm.memoryInUse
        try host.run("data = {} for i = 1, 1000 do data[i] = ('x'):rep(i) end")
        #expect(host.vm.memoryInUse > before + 500_000)
        try host.run("data = nil")
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(host.vm.memoryInUse < before + 100_000)
    }
}
