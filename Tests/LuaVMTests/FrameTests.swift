import Testing

@testable import LuaVM

@Suite struct FrameTests {
    @Test func `the program's own Lua code is shown as one native function`() throws {
        let host = TestHost()
        try host.run(
            """
            local function refuse() error('no', 0) end
            function outer(call) if call then call() else refuse() end end
            """,
            name: "=[opscript]"
        )
        func traceback(_ script: String) throws -> String {
            try #require(#expect(throws: LuaError.self) { try host.run(script, name: "@job.lua") }).traceback
        }
        #expect(
            try traceback("outer()\nlocal x")
                == "stack traceback:\n\t[C]: in function 'outer'\n\tjob.lua:1: in main chunk"
        )
        #expect(
            try traceback("outer(function() error('mine') end)\nlocal x") == """
                stack traceback:
                \t[C]: in function 'error'
                \tjob.lua:1: in local 'call'
                \t[C]: in function 'outer'
                \tjob.lua:1: in main chunk
                """
        )
    }

    @Test func `an uncaught error has its traceback as Lua prints it`() throws {
        let error = try TestHost().failure(
            """
            local t = {}
            function t.run(f) f() return 1 end
            local function inner() error("deep") end
            function outer() t.run(inner) return 2 end
            outer()
            """,
            name: "@job.lua"
        )
        #expect(error.description == "job.lua:3: deep")
        #expect(
            error.traceback == """
                stack traceback:
                \t[C]: in function 'error'
                \tjob.lua:3: in local 'f'
                \tjob.lua:2: in function 'run'
                \tjob.lua:4: in function 'outer'
                \tjob.lua:5: in main chunk
                """
        )
    }

    @Test func `errors of all kinds of values have frames and are unchanged`() throws {
        let host = TestHost()
        for value in ["{}", "nil", "12", "true", "print", "'text'"] {
            let error = try host.failure("value = \(value) local function f() error(value, 0) end f()")
            #expect(error.frames.contains { $0.name == "f" }, "\(value)")
            host.main.push(error: error)
            host.main.getGlobal("value")
            #expect(host.main.rawEqual(-1, -2), "\(value)")
            host.main.pop(2)
        }
        #expect(try host.failure("error({})").message == "(error object is a table value)")
        #expect(try host.failure("error()").message == "(error object is a nil value)")
        #expect(
            try host.failure("error(setmetatable({}, { __tostring = function() return 'own text' end }))")
                .message
                == "own text"
        )
    }

    @Test func `close variables and handlers see the error unchanged`() throws {
        let host = TestHost()
        _ = try host.failure(
            "local x <close> = setmetatable({}, { __close = function(_, e) note(e) end }) error('plain')"
        )
        #expect(host.notes == ["job:1: plain"])
    }

    @Test func `frames of a wrapped coroutine come before those of its caller`() throws {
        let error = try TestHost().failure(
            """
            local function inside() error("x") end
            local g = coroutine.wrap(function() wait() inside() end)
            local function outside() g() end
            outside()
            """
        )
        let names = error.frames.compactMap(\.name)
        let inside = try #require(names.firstIndex(of: "inside"))
        let outside = try #require(names.firstIndex(of: "outside"))
        #expect(inside < outside)
    }

    @Test func `frames survive a wait of a close variable while others fail`() throws {
        let host = TestHost()
        let first = try host.root(
            "local function culprit() error('first') end local x <close> = setmetatable({}, { __close = wait }) culprit()"
        )
        #expect(first.start() == .waiting)
        let other = try host.failure("local function other() error('second') end other()")
        #expect(other.frames.contains { $0.name == "other" })
        #expect(host.goOn(first) == .failed)
        let error = LuaError(taking: first.state)
        #expect(error.frames.contains { $0.name == "culprit" })
        #expect(!error.frames.contains { $0.name == "other" })
    }

    @Test func `an error caught by the script leaves no frames to the next one`() throws {
        let host = TestHost()
        let error = try host.failure(
            """
            local function early() error("early") end
            pcall(coroutine.wrap(early))
            coroutine.resume(coroutine.create(early))
            local function late() error("late") end
            late()
            """
        )
        #expect(error.frames.contains { $0.name == "late" })
        #expect(!error.frames.contains { $0.name == "early" })
        #expect(error.frames.filter(\.isMainChunk).count == 1)
    }

    @Test func `places name file and line of the caller`() throws {
        let host = TestHost()
        host.define("here") { raw in
            let state = LuaState(raw)
            let place = state.place()
            state.push(state.vm.describe(place) ?? "nowhere")
            return 1
        }
        #expect(
            try host.results("return here(),\nhere()", name: "@dir/job.lua") == [
                "dir/job.lua:1", "dir/job.lua:2",
            ]
        )
        #expect(try host.results("\nreturn select(2, pcall(here))", name: "@job.lua") == ["job.lua:2"])
        #expect(try host.results("\n\nreturn coroutine.wrap(here)()", name: "@job.lua") == ["job.lua:3"])
        #expect(host.vm.describe(.unknown) == nil)
        host.main.getGlobal("here")
        try host.main.call(results: 1)
        #expect(host.main.string(-1) == "nowhere")
        for i in 1...repeats(5000) {
            let text = try host.results("return here()", name: "=chunk\(i)")[0]
            #expect(text == "chunk\(i):1" || text == "nowhere")
            host.vm.drainReleases()
        }
    }

    @Test func `the stack as it is now`() throws {
        let host = TestHost()
        host.define("stack") { raw in
            let state = LuaState(raw)
            state.push(LuaFrame.text(of: state.vm.currentFrames(state, level: 1)))
            return 1
        }
        let text = try host.results(
            "local function f() local s = stack() return s end local x = f() return x"
        )[0]
        #expect(text.hasPrefix("stack traceback:\n\tjob:1: in "))
        #expect(text.contains("job:1: in main chunk"))
    }
}
