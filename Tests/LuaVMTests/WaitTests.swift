import Testing

@testable import LuaVM

@Suite struct WaitTests {
    @Test func `a wait returns the delivered values`() throws {
        let host = TestHost()
        #expect(try host.results("return wait(1, nil, 3)") == ["1", "nil", "3"])
        #expect(try host.results("return select('#', wait())") == ["0"])
        #expect(try host.results("return pcall(waitAndFail, 'gone')") == ["false", "gone"])
    }

    @Test func `a plain wait returns the delivered values themselves, however many`() throws {
        let host = TestHost()
        host.define("sleep") { _ in LuaReply.wait }
        let root = try host.root("return select('#', sleep('kept', 'while waiting'))")
        #expect(root.start() == .waiting)
        #expect(root.isWaiting)
        #expect(root.state.ensureSpace(300))
        root.state.push(true)
        for i in 1...200 { root.state.push(i) }
        #expect(root.deliver(201) == .finished(1))
        #expect(root.state.integer(1) == 200)
        #expect(!root.isWaiting)
    }

    @Test func `waits pass through fifty nested coroutines`() throws {
        let host = TestHost()
        let results = try host.results(
            """
            local function nest(n)
                if n == 0 then
                    local sum = 0
                    for i = 1, 10 do sum = sum + wait(i) end
                    return sum
                end
                if n % 2 == 0 then return coroutine.wrap(nest)(n - 1) end
                return select(2, coroutine.resume(coroutine.create(nest), n - 1))
            end
            return nest(50)
            """
        )
        #expect(results == ["55"])
    }

    @Test func `generators may wait between their yields`() throws {
        let host = TestHost()
        let results = try host.results(
            """
            local seen = {}
            for v in coroutine.wrap(function()
                for i = 1, 5 do
                    wait()
                    coroutine.yield(wait(i) * 10)
                    wait()
                end
            end) do
                seen[#seen + 1] = wait(v)
            end
            return table.concat(seen, " ")
            """
        )
        #expect(results == ["10 20 30 40 50"])
    }

    @Test(arguments: [
        ("setmetatable({}, { __index = function(_, k) return wait(k) end }).value", "value"),
        ("tostring(setmetatable({}, { __lt = function() return wait(true) end }) < {})", "true"),
        ("setmetatable({}, { __call = function(_, x) return wait(x) end })('c')", "c"),
        ("setmetatable({}, { __concat = function() return wait('cat') end }) .. ''", "cat"),
        ("(function() for x in function() return wait('it') end do return x end end)()", "it"),
        ("select(2, pcall(pcall, function() return wait('p') end)) and 'p'", "p"),
        ("select(2, xpcall(function() return wait('x') end, print))", "x"),
        ("select(2, pcall(function() wait() error('e', 0) end))", "e"),
        ("select(2, xpcall(function() wait() error('e', 0) end, function(m) return m .. m end))", "ee"),
        ("load(function() return nil end) and coroutine.wrap(function() return wait('w') end)()", "w"),
    ])
    func `waits work wherever Lua can yield`(_ expression: String, _ expected: String) throws {
        #expect(try TestHost().results("return (\(expression))") == [expected])
        #expect(
            try TestHost().results("return coroutine.wrap(function() return (\(expression)) end)()") == [
                expected
            ]
        )
    }

    @Test(arguments: [
        ("table.sort({ 1, 2, 3 }, function() wait() end)", "table.sort"),
        ("string.gsub('a', 'a', function() wait() end)", "string.gsub"),
        ("('a'):gsub('a', function() wait() end)", "string.gsub"),
        ("tostring(setmetatable({}, { __tostring = function() wait() end }))", "__tostring"),
        ("print(setmetatable({}, { __tostring = function() wait() end }))", "__tostring"),
        ("string.format('%s', setmetatable({}, { __tostring = function() wait() end }))", "__tostring"),
        (
            "table.concat(setmetatable({}, { __len = function() return 1 end, "
                + "__index = function() wait() end }))", "table.concat"
        ),
        ("assert(load(function() wait() end))", "load"),
        ("table.sort({ 1, 2, 3 }, function() coroutine.wrap(wait)() end)", "table.sort"),
        (
            "table.sort({ 1, 2, 3 }, function() assert(coroutine.resume(coroutine.create(function() wait() end))) end)",
            "table.sort"
        ),
        (
            "local t <close> = nil local co = coroutine.create(function() local x <close> = setmetatable({}, "
                + "{ __close = function() wait() end }) coroutine.yield() end) coroutine.resume(co) "
                + "assert(coroutine.close(co))", "coroutine.close"
        ),
    ])
    func `where Lua cannot yield a wait is refused by name`(_ code: String, _ name: String) throws {
        let host = TestHost()
        host.vm.printer = { _ in }
        let error = try host.failure(code, name: "@job.lua")
        #expect(error.message.hasSuffix("cannot wait here: inside \(name)"), "\(error.message)")
        #expect(try host.results("return wait(5)") == ["5"])
    }

    @Test func `the refusal carries the position of the caller`() throws {
        let error = try TestHost().failure(
            "local f = function()\nwait() end\ntable.sort({ 1, 2 }, f)",
            name: "@job.lua"
        )
        #expect(error.message == "job.lua:2: cannot wait here: inside table.sort")
    }

    @Test func `a finalizer cannot wait`() throws {
        let host = TestHost()
        let results = try host.results(
            """
            local message
            setmetatable({}, { __gc = function() message = select(2, pcall(wait)) end })
            collectgarbage() collectgarbage()
            return message
            """
        )
        #expect(results == ["cannot wait here: inside __gc"])
    }

    @Test func `a wait outside of roots is refused`() throws {
        let host = TestHost()
        try host.vm.load("wait()", name: "=x")
        let error = #expect(throws: LuaError.self) { try host.main.call() }
        #expect(error?.message.contains("cannot wait here: inside a call of the host") == true)
    }

    @Test func `a stranger can neither resume nor close a coroutine that waits`() throws {
        let host = TestHost()
        let first = try host.root(
            "co = coroutine.create(function() return wait('mine') end) return coroutine.resume(co)"
        )
        #expect(first.start() == .waiting)
        #expect(
            try host.results(
                """
                local ok, e = coroutine.resume(co, true, 'false answer')
                return coroutine.status(co), ok, e, select(2, pcall(coroutine.close, co))
                """
            ) == [
                "normal", "false", "cannot resume non-suspended coroutine", "cannot close a normal coroutine",
            ]
        )
        #expect(host.goOn(first) == .finished(2))
        #expect(first.state.string(2) == "mine")
        #expect(try host.results("return coroutine.status(co)") == ["dead"])
    }

    @Test func `a stranger cannot resume or close a root`() throws {
        let host = TestHost()
        let first = try host.root("me = coroutine.running() return wait('x')")
        #expect(first.start() == .waiting)
        #expect(first.isExposed)
        let results = try host.results(
            "return coroutine.status(me), (coroutine.resume(me, 1)), (pcall(coroutine.close, me))"
        )
        #expect(results == ["normal", "false", "false"])
        #expect(host.goOn(first) == .finished(1))
        #expect(
            try host.results("return coroutine.status(me), coroutine.close(me), coroutine.resume(me, 1)")
                == ["dead", "true", "false", "cannot resume dead coroutine"]
        )
        #expect(first.state.string(1) == "x")
    }

    @Test func `roots interleave in the order of their deliveries`() throws {
        let host = TestHost()
        let script = "local name = ... for i = 1, 3 do note(name .. i) coroutine.wrap(wait)() end"
        let roots = try ["a", "b"].map { name in
            let root = try host.root(script)
            root.state.push(name)
            return root
        }
        var outcomes = roots.map { $0.start() }
        while outcomes.contains(.waiting) { outcomes = roots.map { host.goOn($0) } }
        #expect(outcomes == [.finished(0), .finished(0)])
        #expect(host.notes == ["a1", "b1", "a2", "b2", "a3", "b3"])
    }

    @Test func `a root is used again after results and after a failure`() throws {
        let host = TestHost()
        let root = try host.root("return 1, 2")
        for i in 0..<repeats(200) {
            #expect(root.start() == .finished(2))
            root.clear()
            try host.vm.load(
                "local x <close> = setmetatable({}, { __close = wait }) error('x')",
                name: "=f",
                into: root.state
            )
            #expect(root.start() == .waiting)
            #expect(host.goOn(root) == .failed)
            #expect(LuaError(taking: root.state).message == "f:1: x")
            #expect(root.state.top == 0)
            try host.vm.load("return 1, \(i)", name: "=again", into: root.state)
        }
    }

    @Test func `a root is not exposed unless a script requests it`() throws {
        let host = TestHost()
        #expect(try !host.run("return coroutine.isyieldable()").isExposed)
        #expect(try host.run("return coroutine.running()").isExposed)
        #expect(try !host.run("coroutine.wrap(function() return coroutine.running() end)()").isExposed)
    }

    @Test func `a waiting root is ended by an error, and close variables may wait`() throws {
        let host = TestHost()
        let root = try host.root(
            """
            local outer <close> = setmetatable({}, { __close = function(_, e) wait() note("outer " .. e) end })
            coroutine.wrap(function()
                local inner <close> = setmetatable({}, { __close = function(_, e) note("inner " .. e) end })
                wait()
                note("never")
            end)()
            """
        )
        #expect(root.start() == .waiting)
        #expect(root.fail { $0.push("killed") } == .waiting)
        #expect(host.goOn(root) == .failed)
        #expect(host.notes == ["inner killed", "outer job:2: killed"])
    }

    @Test func `a failing close variable replaces the error and the others still run`() throws {
        let host = TestHost()
        let error = try host.failure(
            """
            local function closing(f) return setmetatable({}, { __close = f }) end
            local a <close> = closing(function(_, e) wait() note(e) end)
            local b <close> = closing(function() wait() error("second", 0) end)
            wait()
            error("first", 0)
            """
        )
        #expect(error.message == "second")
        #expect(host.notes == ["second"])
    }

    @Test func `a yield that nothing can resume is an error in the script`() throws {
        let host = TestHost()
        #expect(
            try host.results("return pcall(coroutine.yield, 1)")
                == ["false", "attempt to yield from outside a coroutine"]
        )
        let results = try host.results(
            "return pcall(coroutine.wrap(function() return coroutine.yield(wait(1)) end))"
        )
        #expect(results == ["true", "1"])
    }

    @Test func `a host function that starts a root from within another nests`() throws {
        let host = TestHost()
        host.define("nested") { raw in
            let state = LuaState(raw)
            state.setTop(1)
            let root = LuaRoot.push(state)
            state.pushValue(1)
            state.move(1, to: root.state)
            switch root.start() {
            case .finished(let count):
                root.state.move(Int32(count), to: state)
                return Int32(count)
            case .waiting, .paused:
                state.push("waits")
                return 1
            case .failed:
                root.state.move(1, to: state)
                return LuaReply.raise
            }
        }
        let results = try host.results(
            """
            local inside = nested(function() return wait end)
            local ok, e = pcall(nested, function() error("inner", 0) end)
            return inside == wait, nested(function() wait() end), e, wait("outer")
            """
        )
        #expect(results == ["true", "waits", "inner", "outer"])
    }

    @Test func `nesting of roots without end is an error`() throws {
        let host = TestHost()
        host.define("nested") { raw in
            let state = LuaState(raw)
            let root = LuaRoot.push(state)
            state.pushValue(1)
            state.move(1, to: root.state)
            if root.start() == .failed {
                root.state.move(1, to: state)
                return LuaReply.raise
            }
            return 0
        }
        let error = try host.failure("local function f() nested(f) end f()")
        #expect(error.message.contains("C stack overflow"))
        #expect(try host.results("return wait(1)") == ["1"])
    }

    @Test func `a wait in a foreign call is refused`() throws {
        let host = TestHost()
        host.define("callback") { raw in
            let state = LuaState(raw)
            do {
                try state.call(arguments: state.top - 1)
                return 0
            } catch {
                return state.raise(error)
            }
        }
        #expect(
            try host.failure("callback(function() wait() end)", name: "@a.lua").message
                == "a.lua:1: cannot wait here: inside callback"
        )
    }
}
