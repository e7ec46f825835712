import Testing

@testable import LuaVM

/// Places of calls.
@Suite struct PlaceTests {
    /// A machine with `here()`, which returns the place of its caller.
    private func host() -> TestHost {
        let host = TestHost()
        host.define("here") { raw in
            let state = LuaState(raw)
            state.push(state.vm.describe(state.place(level: 1)) ?? "nowhere")
            return 1
        }
        return host
    }

    @Test func `many places, again and again, are those that Lua itself reports`() throws {
        let host = host()
        var lines = [
            "local function line() return 'job.lua:' .. debug.getinfo(2, 'l').currentline end",
            "local f = {}",
        ]
        for number in 1...40 {
            lines.append("f[\(number)] = function() return here(), line() end")
            lines.append("f[\(number + 40)] = function() local a, b = here(), line()")
            lines.append("  return a, b end")
        }
        lines.append(
            """
            local co = coroutine.wrap(function() while true do coroutine.yield(here(), line()) end end)
            for round = 1, 3 do
                for i = 1, 80 do
                    local a, b = f[round == 2 and 81 - i or i]()
                    assert(a == b, a .. ' for ' .. b)
                    local a, b = co()
                    assert(a == b, a .. ' for ' .. b)
                end
            end
            """
        )
        try host.run(lines.joined(separator: "\n"), name: "@job.lua")
    }

    @Test func `native functions in between have no place`() throws {
        let script = """
            local function f() local s = here() return s end
            f()
            local s = string.gsub('x', 'x', here)
            f()
            local t = {}
            table.sort({ 1, 2 }, function(a, b) t[1] = here() return a < b end)
            f()
            local _, p = pcall(here)
            local m = setmetatable({}, { __index = here })
            f()
            return s, t[1], p, m.x
            """
        #expect(
            try host().results(script, name: "@job.lua")
                == ["job.lua:3", "job.lua:6", "job.lua:8", "job.lua:11"]
        )
    }

    @Test func `a chunk of the program has the place of its caller`() throws {
        let host = host()
        try host.run(
            """
            function outer(call) local s = (call or here)() return s end
            function later() return coroutine.wrap(function() local s = outer() return s end)() end
            alone = outer()
            """,
            name: "=[opscript]"
        )
        let script = """
            local a = outer()
            local b = later()
            local c = outer(function()
                local s = outer()
                return s
            end)
            return a, b, c, alone
            """
        #expect(
            try host.results(script, name: "@job.lua")
                == ["job.lua:1", "job.lua:2", "job.lua:4", "[opscript]:1"]
        )
        // A script may choose a name in brackets, too.
        let template = "load('return (here())', '=[template]')()"
        #expect(try host.results("return \(template)", name: "@job.lua") == ["[template]:1"])
    }

    /// - Parameter length: How many statements come first; the code of a long function is kept elsewhere.
    @Test(arguments: [0, 400])
    func `a place is that of the running function, even if its memory belonged to another one`(_ length: Int)
        throws
    {
        let host = host()
        let statements = String(repeating: "x = 1 ", count: length)
        for line in 1...repeats(300) {
            let script = String(repeating: "\n", count: line - 1) + statements + "return here()"
            #expect(try host.results(script, name: "@job.lua") == ["job.lua:\(line)"])
            // The next one usually gets the same memory.
            host.vm.drainReleases()
            host.vm.collectGarbage()
        }
    }
}
