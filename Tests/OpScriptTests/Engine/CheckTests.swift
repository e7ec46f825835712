import OpScript
import Testing

/// `check`, which compiles without running, and `validate`.
struct CheckTests {
    private func undefined(_ code: String) async throws -> [String] {
        let engine = ScriptEngine()
        engine.register("image.read") { (path: String) in path }
        engine.register("sum") { (a: Int, b: Int) in a + b }
        return try await engine.check(code: code).undefinedNames.map(\.description)
    }

    @Test func `nothing of the script runs`() async throws {
        let engine = ScriptEngine()
        #expect(try await engine.check(code: "ran = true error('no')").undefinedNames.isEmpty)
        #expect(try await engine.evaluate("ran == nil", as: Bool.self))
    }

    @Test(arguments: [("x = = 1", 1), ("local a = 1\n\nreturn return", 3), ("('", 1), ("goto nowhere", 1)])
    func `a text that does not compile has code syntax and a line`(code: String, line: Int) async throws {
        let engine = ScriptEngine()
        let requests: [() async throws -> Void] = [
            { _ = try await engine.check(code: code, named: "@job.lua") },
            { _ = try await engine.run(code: code, named: "@job.lua") },
            { try await engine.evaluate(code, named: "@job.lua") },
        ]
        for request in requests {
            await #expect { try await request() } throws: { error in
                guard let error = error as? ScriptError else { return false }
                return error.code == .syntax && error.line == line
                    && error.message.hasPrefix("job.lua:\(line):")
            }
        }
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }

    @Test func `an undefined global is reported with its line and the nearest name`() async throws {
        let found = try await undefined("local x = 1\npritn(x)\nop = Opertion()\n")
        #expect(
            found == [
                "line 2: 'pritn' is undefined (did you mean 'print'?)",
                "line 3: 'Opertion' is undefined (did you mean 'Operation'?)",
            ]
        )
    }

    @Test func `an undefined work is reported with its path`() async throws {
        let found = try await undefined(
            """
            local a = work.image.read('a.ppm')
            local b = work.image.raed('b.ppm')
            work.usm(1, 2)
            print(work.describe('sum'), work.image, a, b)
            """
        )
        #expect(
            found == [
                "line 2: 'work.image.raed' is undefined (did you mean 'work.image.read'?)",
                "line 3: 'work.usm' is undefined (did you mean 'work.sum'?)",
            ]
        )
    }

    /// Texts without an undefined name, each with a scope or a spelling that could be taken for one.
    @Test(arguments: [
        "local a <const>, b = 1 do local c = a end return b",
        "for i, v in pairs({}) do print(i, v) end for i = 1, 2 do print(i) end",
        "local function f(n, ...) return n == 0 and ... or f(n - 1, ...) end f(1)",
        "function g() return h() end function h() return g end",
        "local t = { name = 1, ['x'] = 2, 3; function() end } t.name.other, t[1] = 1, 2 function t.a.b:c() return self end",
        "repeat local done = true until done",
        "goto out ::out:: while true do break end",
        "print 'a' print [[b]] print { c = 1 } ('x'):rep(2)",
        "local s = 'quote \\' not x' -- comment y\n--[==[ z\n]] ]==] local n = 0x1p-4 + 1e-5 .. 3 // 2 << 1 ~ ~1",
        "a, b.c = 1, 2 print(a) b = {} if a then elseif b then else end return a ~= b, a == b, a <= b, -a, #a, not a",
        "local _ENV = { print = print } anything(print)",
        "#!/usr/bin/opscript\nprint(arg[0], ...)",
        "return function(x) return function() return x end end",
        "print((\"a\").b, ({}).c, (function() end)())",
        "Timer.scheduledTimer(1, false, function() end) OperationQueue():addOperation(work.sum(1, 2))",
    ])
    func `a correct text has no undefined name`(code: String) async throws {
        #expect(try await undefined(code) == [])
    }

    @Test func `validate throws what every run would throw`() async throws {
        let engine = ScriptEngine()
        engine.register("a") {}
        try engine.validate()
        engine.register("a") {}
        for request in [{ try engine.validate() }, { _ = try await engine.check(code: "") }]
            as [() async throws -> Void]
        {
            await #expect { try await request() } throws: {
                ($0 as? ScriptError)?.message
                    == "'a' is registered already: pass 'replacing: true' to replace it"
            }
        }
    }
}
