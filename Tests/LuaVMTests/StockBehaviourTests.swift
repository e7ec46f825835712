import Testing

@testable import LuaVM

/// The behaviour of Lua's own coroutine library, `pcall` and `xpcall`; the lines after `-->` were taken from
/// `lua5.4`.
@Suite struct StockBehaviourTests {
    /// Joins all values, as the expectations are written.
    private static let show = """
        local function show(...)
            local t = table.pack(...)
            for i = 1, t.n do
                local kind = type(t[i])
                t[i] = (kind == "table" or kind == "thread") and kind or tostring(t[i])
            end
            return table.concat(t, "|")
        end
        local chunk = ...
        return show(chunk())
        """

    @Test(arguments: cases)
    func `coroutines and protected calls behave like the stock ones`(_ script: String, _ expected: String)
        throws
    {
        let host = TestHost()
        // In a root, which must look like the main thread.
        let root = LuaRoot.push(host.main)
        try host.vm.load(Self.show, name: "=show", into: root.state)
        try host.vm.load(script, name: "=job", into: root.state)
        #expect(root.start() == .finished(1))
        #expect(root.state.string(1) == expected)
        // And on the main stack.
        try host.vm.load(Self.show, name: "=show")
        try host.vm.load(script, name: "=job")
        try host.main.call(arguments: 1, results: 1)
        #expect(host.main.string(-1) == expected)
    }

    private static let cases: [(String, String)] = [
        (
            """
            return coroutine.resume(coroutine.create(function(a, b) local c = coroutine.yield(a + b) \
            return c * 2 end), 1, 2)
            """,
            "true|3"
        ),
        (
            """
            local co = coroutine.create(function(a) local b = coroutine.yield(a) error({b}) end) \
            coroutine.resume(co, 1) local ok, e = coroutine.resume(co, 5) return ok, e[1], \
            coroutine.status(co), coroutine.resume(co)
            """,
            "false|5|dead|false|cannot resume dead coroutine"
        ),
        (
            """
            local co = coroutine.create(function() end) coroutine.resume(co) return \
            coroutine.resume(co)
            """,
            "false|cannot resume dead coroutine"
        ),
        (
            """
            local co co = coroutine.create(function() return coroutine.resume(co) end) return \
            coroutine.resume(co)
            """,
            "true|false|cannot resume non-suspended coroutine"
        ),
        (
            """
            local co co = coroutine.wrap(function() return co() end) return pcall(co)
            """,
            "false|job:1: cannot resume non-suspended coroutine"
        ),
        (
            """
            local co co = coroutine.create(function() return coroutine.status(co), \
            coroutine.running() == co, select(2, coroutine.running()) end) return \
            coroutine.status(co), coroutine.resume(co)
            """,
            "suspended|true|running|true|false"
        ),
        (
            """
            local co co = coroutine.create(function() return coroutine.wrap(function() return \
            coroutine.status(co) end)() end) return coroutine.resume(co)
            """,
            "true|normal"
        ),
        (
            """
            return pcall(coroutine.wrap(function() error("x") end))
            """,
            "false|job:1: x"
        ),
        (
            """
            return pcall(coroutine.wrap(function() error("x", 0) end))
            """,
            "false|x"
        ),
        (
            """
            return pcall(coroutine.wrap(function() error() end))
            """,
            "false|nil"
        ),
        (
            """
            local w = coroutine.wrap(function() return 1 end) w() return pcall(w)
            """,
            "false|cannot resume dead coroutine"
        ),
        (
            """
            local w = coroutine.wrap(function() error("x", 0) end) pcall(w) return pcall(w)
            """,
            "false|cannot resume dead coroutine"
        ),
        (
            """
            return coroutine.isyieldable(), coroutine.wrap(function() return coroutine.isyieldable() \
            end)()
            """,
            "false|true"
        ),
        (
            """
            return select(2, coroutine.running()), type((coroutine.running()))
            """,
            "true|thread"
        ),
        (
            """
            return pcall(coroutine.yield, 1)
            """,
            "false|attempt to yield from outside a coroutine"
        ),
        (
            """
            return pcall(coroutine.create, 1)
            """,
            "false|bad argument #1 to 'coroutine.create' (function expected, got number)"
        ),
        (
            """
            return pcall(coroutine.wrap)
            """,
            "false|bad argument #1 to 'coroutine.wrap' (function expected, got no value)"
        ),
        (
            """
            return pcall(coroutine.resume, 1)
            """,
            "false|bad argument #1 to 'coroutine.resume' (thread expected, got number)"
        ),
        (
            """
            return pcall(coroutine.status, {})
            """,
            "false|bad argument #1 to 'coroutine.status' (thread expected, got table)"
        ),
        (
            """
            return pcall(coroutine.close, coroutine.running())
            """,
            "false|cannot close a running coroutine"
        ),
        (
            """
            return coroutine.close(coroutine.create(print))
            """,
            "true"
        ),
        (
            """
            local log = {} local co = coroutine.create(function() local a <close> = setmetatable({}, \
            {__close = function(_, e) log[#log + 1] = tostring(e) end}) coroutine.yield() end) \
            coroutine.resume(co) return coroutine.close(co), coroutine.status(co), log[1]
            """,
            "true|dead|nil"
        ),
        (
            """
            local co = coroutine.create(function() local a <close> = setmetatable({}, {__close = \
            function() error("c", 0) end}) coroutine.yield() end) coroutine.resume(co) return \
            coroutine.close(co)
            """,
            "false|c"
        ),
        (
            """
            local co = coroutine.create(function() local a <close> = setmetatable({}, {__close = \
            function(_, e) error(e .. "!", 0) end}) error("b", 0) end) return coroutine.resume(co)
            """,
            "false|b"
        ),
        (
            """
            local co = coroutine.create(function() error("b", 0) end) coroutine.resume(co) return \
            coroutine.close(co)
            """,
            "false|b"
        ),
        (
            """
            local w = coroutine.wrap(function() local a <close> = setmetatable({}, {__close = \
            function(_, e) error(e .. "!", 0) end}) error("b", 0) end) return pcall(w)
            """,
            "false|b!"
        ),
        (
            """
            local co = coroutine.create(function() local a <close> = setmetatable({}, {__close = \
            function() coroutine.yield() end}) coroutine.yield() end) coroutine.resume(co) return \
            coroutine.close(co)
            """,
            "false|attempt to yield across a C-call boundary"
        ),
        (
            """
            local w = coroutine.wrap(function() return pcall(function() coroutine.yield(1) \
            error("e", 0) end) end) return w(), w()
            """,
            "1|false|e"
        ),
        (
            """
            local w = coroutine.wrap(function() return xpcall(function() coroutine.yield(1) \
            error("e", 0) end, function(m) return m .. "h" end) end) return w(), w()
            """,
            "1|false|eh"
        ),
        (
            """
            local w = coroutine.wrap(function() table.sort({1, 2, 3}, function() coroutine.yield() \
            end) end) return pcall(w)
            """,
            "false|attempt to yield across a C-call boundary"
        ),
        (
            """
            local t = {} for v in coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i) end \
            end) do t[#t + 1] = v end return table.concat(t, ",")
            """,
            "1,2,3,4,5"
        ),
        (
            """
            local w = coroutine.wrap(function(...) local n = select("#", ...) while true do n = \
            select("#", coroutine.yield(n)) end end) return w(), w(1, nil), w(nil, nil, nil)
            """,
            "0|2|3"
        ),
        (
            """
            return select("#", coroutine.resume(coroutine.create(function() return table.unpack({}, \
            1, 200) end)))
            """,
            "201"
        ),
        (
            """
            return pcall(pcall)
            """,
            "false|bad argument #1 to 'pcall' (value expected)"
        ),
        (
            """
            return pcall(error)
            """,
            "false|nil"
        ),
        (
            """
            return pcall(error, nil)
            """,
            "false|nil"
        ),
        (
            """
            return pcall(error, setmetatable({}, {__tostring = function() return "obj" end}))
            """,
            "false|table"
        ),
        (
            """
            return xpcall(function(...) return select("#", ...) end, print, 1, nil, nil)
            """,
            "true|3"
        ),
        (
            """
            return pcall(xpcall, print)
            """,
            "false|bad argument #2 to 'xpcall' (function expected, got no value)"
        ),
        (
            """
            return pcall(xpcall, print, 1)
            """,
            "false|bad argument #2 to 'xpcall' (function expected, got number)"
        ),
        (
            """
            return xpcall(error, function(m) return m, 2 end, "x")
            """,
            "false|x"
        ),
        (
            """
            local function fail() local x = nil; x() end
            return xpcall(fail, function() return debug.getinfo(2, "S").what .. debug.getinfo(2, "l").currentline end)
            """,
            "false|Lua1"
        ),
        (
            #"""
            local first = "^(.-)\nstack traceback:\n\t([^\n]*)"
            local _, whole = xpcall(error, debug.traceback, "x")
            local _, above = xpcall(error, function(m) return debug.traceback(m, 2) end, "y")
            local message, level = whole:match(first)
            return message, level, above:match(first)
            """#,
            "x|[C]: in function 'error'|y|[C]: in function 'error'"
        ),
        (
            """
            return xpcall(error, function(m) error("again") end, "x")
            """,
            "false|error in error handling"
        ),
        (
            """
            return pcall(coroutine.wrap(function() coroutine.wrap(function() error("deep") end)() \
            end))
            """,
            "false|job:1: job:1: deep"
        ),
        (
            """
            local co = coroutine.wrap(function() local x <close> = setmetatable({}, {__close = \
            function() coroutine.yield("closing") end}) return "done" end) return co(), co()
            """,
            "closing|done"
        ),
        (
            """
            local function f(n) if n == 0 then return "end" end return coroutine.wrap(f)(n - 1) end \
            return f(100)
            """,
            "end"
        ),
        (
            """
            local function f(n) return coroutine.wrap(f)(n + 1) end local ok, e = pcall(f, 0) return \
            ok, (e:match("C stack overflow"))
            """,
            "false|C stack overflow"
        ),
        (
            """
            return pcall(coroutine.resume, coroutine.create(function() end), table.unpack({}, 1, \
            100))
            """,
            "true|true"
        ),
        (
            """
            local co = coroutine.create(function() return table.unpack({}, 1, 10) end) return \
            select("#", coroutine.resume(co))
            """,
            "11"
        ),
        (
            """
            return coroutine.status(coroutine.create(function() end))
            """,
            "suspended"
        ),
        (
            """
            return pcall(coroutine.isyieldable, 3)
            """,
            "false|bad argument #1 to 'coroutine.isyieldable' (thread expected, got number)"
        ),
    ]
}
