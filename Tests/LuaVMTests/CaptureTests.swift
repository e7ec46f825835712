import TestSupport
import Testing

@testable import LuaVM

/// A function of one machine, made again in another.
@Suite struct CaptureTests {
    private struct Host: LuaCaptureHost {
        var libraries: [UnsafeRawPointer: String] = [:]

        func foreign(_ state: LuaState, _ index: Int32) -> (any Sendable)? { nil }
        func libraryName(_ identity: UnsafeRawPointer) -> String? { libraries[identity] }
        func capturedKind(_ state: LuaState, _ index: Int32) -> String { state.typeName(index) }
    }

    /// The function that a script returns, copied.
    private func capture(_ script: String) throws -> LuaCapture {
        let host = TestHost()
        try host.vm.load(script, name: "=job")
        try host.main.call(results: 1)
        var knowing = Host()
        _ = host.main.getGlobal("print")
        if let identity = host.main.identity(-1) { knowing.libraries[identity] = "print" }
        host.main.pop()
        defer { host.main.pop() }
        return try host.main.capture(-1, knowing)
    }

    /// The bytes of a function, for a comparison of two.
    private func bytes(_ script: String) throws -> [UInt8] {
        try #require(try capture(script).canonicalBytes { _ in nil })
    }

    @Test func `the bytes of a function do not depend on comments, lines and names of variables`() throws {
        let bytes = try bytes("local n = 5 return function(a) local b = a + n return b * 2 end")
        let other = """
            -- A comment.

            local m = 5
            return function(first)
                -- Another one.
                local second = first + m
                return second * 2
            end
            """
        #expect(try bytes == self.bytes(other))
    }

    @Test(arguments: [
        "local n = 5 return function(a) local b = a + n return b * 3 end",
        "local n = 6 return function(a) local b = a + n return b * 2 end",
        "local n = 5.0 return function(a) local b = a + n return b * 2 end",
        "local n = 5 return function(a) local b = a - n return b * 2 end",
    ])
    func `the bytes of a function depend on its code and on captured values`(_ script: String) throws {
        #expect(try bytes(script) != bytes("local n = 5 return function(a) local b = a + n return b * 2 end"))
    }

    @Test func `the bytes of captured tables do not depend on the order of their entries`() throws {
        let one = "local t = { a = 1, b = { 2, c = 3 }, d = 4 } return function() return t end"
        let other = "local t = { d = 4 } t.b = { c = 3, 2 } t.a = 1 return function() return t end"
        #expect(try bytes(one) == bytes(other))
    }

    private func sealed() -> LuaVM {
        var configuration = LuaConfiguration.full
        configuration.isHostile = isHostile
        let vm = LuaVM(configuration)
        vm.seal(refusing: ["work"])
        return vm
    }

    /// The text of what a copy returns in a machine.
    private func result(_ capture: LuaCapture, in vm: LuaVM) throws -> String {
        vm.pushFreshGlobals()
        vm.main.pop()
        try capture.push(vm) { _, state in state.pushNil() }
        do throws(LuaError) {
            try vm.main.call(results: 1)
        } catch {
            return error.message
        }
        defer { vm.main.pop() }
        return try vm.main.describe(-1)
    }

    @Test(arguments: [
        ("local a, t = 1, { 2, { 3 } } return function() return a + t[1] + t[2][1] end", "6"),
        (
            "local function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end return function() return f(10) end",
            "55"
        ),
        (
            "local n = 0 local function up() n = n + 1 end local function get() return n end "
                + "return function() up() up() return get() + n end", "4"
        ),
        ("local t = {} t.t = t return function() return tostring(t.t == t) end", "true"),
        (
            "local c = { __index = function(_, k) return k end } local o = setmetatable({}, c) return function() return o.x end",
            "x"
        ),
        (
            "local a, b = {}, {} a[b] = b b[a] = a return function() return tostring(a[b] == b and b[a] == a) end",
            "true"
        ),
        ("return function() return x == nil and type(string) or 'no' end", "table"),
        ("local p = print return function() return tostring(p == print) end", "true"),
        ("local s = '\\0\\255' return function() return #s end", "2"),
        (
            "local f, n = 1.0, math.mininteger return function() return math.type(f) .. n end",
            "float-9223372036854775808"
        ),
        ("local i = 0 / 0 return function() return tostring(i ~= i) end", "true"),
        (
            "return function() return work end",
            "job:1: 'work' is not there inside an isolate, which schedules nothing: "
                + "it gets arguments and returns results"
        ),
    ])
    func `a function works as in its first machine`(_ script: String, _ expected: String) throws {
        let capture = try capture(script)
        let vm = sealed()
        for _ in 1...3 { #expect(try result(capture, in: vm) == expected) }
        #expect(vm.main.top == 0)
    }

    @Test func `deep and wide tables are copied`() throws {
        let count = isHostile ? 50 : 100_000
        let deep = try capture(
            "local t = {} for i = 1, \(count) do t = { t } end "
                + "return function() local n, u = 0, t while u[1] do n, u = n + 1, u[1] end return n end"
        )
        #expect(try result(deep, in: sealed()) == "\(count)")
    }

    @Test(arguments: [
        ("local c = coroutine.create(print) return function() return c end", "upvalue 'c'", "coroutine"),
        (
            "local t = { a = { [5] = note } } return function() return t end", "upvalue 't.a[5]'",
            "native function"
        ),
        (
            "local u = io.stdout local function f() return u end return function() return f() end",
            "upvalue 'u' of 'f'", "FILE*"
        ),
        (
            "local t = setmetatable({}, { __index = note, __name = 'Thing' }) return function() return t end",
            "upvalue 't'", "Thing"
        ),
        ("local t = { [note] = 1 } return function() return t end", "upvalue 't[a key]'", "native function"),
    ])
    func `a value that cannot be copied is named with its place`(
        _ script: String,
        _ place: String,
        _ kind: String
    ) throws {
        let error = try #require(throws: LuaCaptureError.self) { try capture(script) }
        #expect(error.place == place)
        #expect(error.kind == kind)
    }

    @Test func `a function leaves nothing behind for the next one`() throws {
        let capture = try capture(
            "return function() local before = tostring(x) .. tostring(string.y) x = 1 string.y = 2 "
                + "load('z = 3')() return before .. tostring(z) end"
        )
        let vm = sealed()
        for _ in 1...3 { #expect(try result(capture, in: vm) == "nilnil3") }
        #expect(!vm.isTainted)
    }

    @Test(arguments: [
        "math.randomseed(1)", "io.write('')", "debug.sethook()", "require('string')",
        "setmetatable({}, { __gc = function() end })", "local _ = package.path",
    ])
    func `a change that the next function would see taints the machine`(_ statement: String) throws {
        let vm = sealed()
        _ = try result(try capture("return function() \(statement) return 1 end"), in: vm)
        #expect(vm.isTainted)
    }

    @Test func `a stop from another thread ends an endless loop`() async throws {
        let capture = try capture(
            "return function() while true do pcall(function() while true do end end) end end"
        )
        let (stoppers, sender) = AsyncStream<LuaStopper>.makeStream()
        let tests = self
        async let isStopped = blocking {
            let vm = tests.sealed()
            let stopper = LuaStopper(vm)
            guard stopper.enter() else { return false }
            defer { stopper.leave() }
            sender.yield(stopper)
            _ = try tests.result(capture, in: vm)
            return stopper.isStopped
        }
        for await stopper in stoppers {
            stopper.stop()
            break
        }
        let stopped = try await isStopped
        #expect(stopped)
    }

    @Test func `a stop before or after a run stops nothing else`() throws {
        let vm = sealed()
        let early = LuaStopper(vm)
        early.stop()
        #expect(!early.enter())
        let late = LuaStopper(vm)
        #expect(late.enter())
        late.leave()
        late.stop()
        #expect(
            try result(try capture("return function() for _ = 1, 1000 do end return 1 end"), in: vm) == "1"
        )
    }
}
