import Testing

@testable import LuaVM

private struct Mistake: Error {
    let marker: Marker
}

private final class Marker: Sendable {
    /// The object whose identity tests compare.
    static let shared = Marker()
}

@Suite struct HostFunctionTests {
    @Test func `a Swift error keeps its identity through pcall, coroutines and back`() throws {
        let host = TestHost()
        host.define("fail") { raw in
            LuaState(raw).raise(Mistake(marker: .shared))
        }
        for script in [
            "fail()",
            "local ok, e = pcall(fail) error(e)",
            "coroutine.wrap(function() fail() end)()",
            "local ok, e = coroutine.resume(coroutine.create(fail)) error(e, 0)",
            "local ok, e = xpcall(fail, function(e) return e end) wait() error(e)",
            "local t <close> = setmetatable({}, { __close = function(_, e) wait() end }) fail()",
        ] {
            let error = try host.failure(script)
            let mistake = try #require(error.underlying as? Mistake)
            #expect(mistake.marker === Marker.shared)
        }
    }

    @Test func `an error of a script thrown back is the same value`() throws {
        let host = TestHost()
        host.define("relay") { raw in
            let state = LuaState(raw)
            do {
                try state.call(arguments: state.top - 1, results: LuaState.allResults)
                return state.top
            } catch {
                return state.raise(error)
            }
        }
        let results = try host.results(
            """
            local t = {}
            local ok, e = pcall(relay, error, t)
            return ok, e == t, relay(function(a, b) return b, a end, 1, 2)
            """
        )
        #expect(results == ["false", "true", "2", "1"])
    }

    @Test func `a message carries the position of the caller`() throws {
        let host = TestHost()
        host.define("fail") { LuaState($0).raise(message: "it broke") }
        host.define("need") { LuaState($0).raise(argument: 1, expected: "table") }
        host.main.newTable()
        host.main.setFunctions([("method", { LuaState($0).raise(argument: 2, "too small") })])
        host.main.setGlobal("object")
        #expect(try host.failure("\nfail()", name: "@a.lua").message == "a.lua:2: it broke")
        #expect(
            try host.failure("need(1)", name: "@a.lua").message
                == "a.lua:1: bad argument #1 to 'need' (table expected, got number)"
        )
        #expect(
            try host.failure("object:method(1)", name: "@a.lua").message
                == "a.lua:1: bad argument #1 to 'method' (too small)"
        )
    }

    @Test func `upvalues are the function's own`() throws {
        let host = TestHost()
        host.main.push(5)
        host.main.push("up")
        host.main.push(
            { raw in
                let state = LuaState(raw)
                state.pushValue(LuaState.upvalue(1))
                state.pushValue(LuaState.upvalue(2))
                return 2
            },
            upvalues: 2
        )
        host.main.setGlobal("both")
        #expect(try host.results("return both()") == ["5", "up"])
    }

    @Test func `a function can end by calling another that waits`() throws {
        let host = TestHost()
        host.define("apply") { LuaReply.call(Int(LuaState($0).top) - 1) }
        let results = try host.results(
            """
            local function f(...) wait() local t = table.pack(...) return t.n, wait(...) end
            local co = coroutine.wrap(function(...) return apply(f, ...) end)
            local ok, e = pcall(apply, function() wait() error("late", 0) end)
            return e, co(7, nil, 9)
            """
        )
        #expect(results == ["late", "3", "7", "nil", "9"])
    }

    @Test func `a protected call with a continuation sees results and errors, with waits inside`() throws {
        let host = TestHost()
        host.define("try") { raw in
            let state = LuaState(raw)
            state.push("saved")
            state.insert(1)
            state.push(continuation: { raw, base in
                let state = LuaState(raw)
                #expect(state.string(1) == "saved")
                #expect(base == 3)
                state.remove(base - 1)
                return state.top
            })
            return LuaReply.callThen(Int(state.top) - 3)
        }
        let results = try host.results("return try(function(a, b) return wait(b), a end, 1, 2)")
        #expect(results == ["saved", "true", "2", "1"])
        #expect(
            try host.results("return try(function() wait() error('x', 0) end)") == ["saved", "false", "x"]
        )
        #expect(try host.results("return try(error, 'y')") == ["saved", "false", "y"])
        #expect(try host.results("return try(5)")[1] == "false")
        #expect(try host.results("return select('#', try(function() end))") == ["2"])
        #expect(try host.results("return select('#', pcall(try, try, try, error))").first == "8")
    }

    @Test func `a continuation can call again and again without growing the native stack`() throws {
        let host = TestHost()
        host.define("times") { raw in
            let state = LuaState(raw)
            // n, f
            state.pushValue(2)
            state.push(continuation: again)
            return LuaReply.callThen(0)
        }
        func scriptCount(_ n: Int, _ body: String) throws -> [String] {
            try host.results("local n = 0 times(\(n), function() n = n + 1 \(body) end) return n")
        }
        #expect(try scriptCount(repeats(100_000), "") == ["\(repeats(100_000))"])
        #expect(try scriptCount(repeats(20_000), "wait()") == ["\(repeats(20_000))"])
    }

    @Test func `an error raised again keeps the frames of its origin`() throws {
        let host = TestHost()
        host.define("guarded") { raw in
            LuaState(raw).push(continuation: { raw, base in
                LuaState(raw).boolean(base) ? 0 : LuaReply.raise
            })
            return LuaReply.callThen(0)
        }
        let error = try host.failure("local function inner() error('x') end guarded(function() inner() end)")
        #expect(error.message == "job:1: x")
        #expect(error.frames.contains { $0.name == "inner" })
    }

    @Test func `a collection in a host call does not lose arguments`() throws {
        let host = TestHost()
        host.define("collect") { raw in
            let state = LuaState(raw)
            state.vm.collectGarbage()
            state.newTable()
            state.push(bytes: [1, 2, 3])
            state.pop(2)
            return state.top
        }
        #expect(try host.results("return collect('a' .. 1, 'b' .. 2)") == ["a1", "b2"])
    }
}

private func again(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base), let left = state.integer(1) else { return LuaReply.raise }
    state.setTop(2)
    if left <= 1 { return 0 }
    state.push(left - 1)
    state.replace(1)
    state.pushValue(2)
    state.push(continuation: again)
    return LuaReply.callThen(0)
}
