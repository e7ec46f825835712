import Testing

@testable import OpScript

/// A script's value in the hands of a Swift program.
struct ScriptValueTests {
    @Test func `literals make values`() {
        let value: ScriptValue = ["name": "cat", "sizes": [1, 2.5], "isGood": true, "none": .nil]
        #expect(value["name"].string == "cat")
        #expect(value["sizes"].array?.map(\.double) == [1, 2.5])
        #expect(value["isGood"].bool == true)
        #expect(value["none"].isNil && value["other"].isNil)
        #expect(ScriptValue.integer(3)["name"].isNil)
    }

    @Test func `a value is read as what it is, and as nothing else`() {
        #expect(ScriptValue.number(3).int == 3 && ScriptValue.number(3.5).int == nil)
        #expect(ScriptValue.integer(.max).double == Double(Int64.max))
        #expect(ScriptValue.string([0xFF]).string == nil && ScriptValue.string([0xFF]).bytes == [0xFF])
        #expect(ScriptValue.text("3").int == nil && ScriptValue.boolean(true).int == nil)
        #expect(ScriptValue.table(ScriptTable()).array?.isEmpty == true)
        #expect(ScriptValue.array([7]).table?.entries.map(\.key) == [.integer(1)])
    }

    /// The texts are compared with those of Lua itself.
    @Test(arguments: [
        "nil", "true", "3", "-0.0", "1e100", "2^53", "1/3", "1/0", "-1/0", "'a b'", "1e15", "123456.0",
    ])
    func `it prints as Lua prints it`(_ code: String) async throws {
        let engine = ScriptEngine()
        let value = try await engine.evaluate(code, as: ScriptValue.self)
        let text = try await engine.evaluate("tostring(\(code))", as: String.self)
        #expect(value.description == text)
    }

    /// Lua reads the text of a table back.
    @Test func `a table prints as the text that makes it`() async throws {
        let engine = ScriptEngine()
        let code = #"{ 1, { x = "a\"\n\\b" }, [2.5] = false, ["no name"] = {}, n1 = 1e300 }"#
        let value = try await engine.evaluate(code, as: ScriptValue.self)
        let again = try await engine.evaluate(value.description, as: ScriptValue.self)
        #expect(again == value, "\(value)")
        #expect("\(ScriptValue.array([1, "two"]))" == #"{ 1, "two" }"#)
    }

    @Test func `an error of a script knows its place`() async throws {
        let engine = ScriptEngine()
        let error = await #expect(throws: ScriptError.self) {
            try await engine.run("\nlocal function f() error('no') end\nf()", named: "@job.lua")
        }
        #expect(error?.file == "job.lua" && error?.line == 2)
        let syntax = await #expect(throws: ScriptError.self) {
            try await engine.run("\nlocal = 1", named: "@job.lua")
        }
        #expect(syntax?.file == "job.lua" && syntax?.line == 2)
    }

    private static func square(_ number: Int) -> Int { number * number }
    private static func slowSquare(_ number: Int) async -> Int { number * number }

    @Test func `a function is registered by its name alone, and replaced`() async throws {
        let engine = ScriptEngine()
        engine.register("square", Self.square)
        engine.register("slowSquare", Self.slowSquare)
        engine.registerFunction("answer", "Gives the answer.") { 41 }
        engine.registerFunction("answer", replacing: true) { 42 }
        let code = "await(work.square(3)), await(work.slowSquare(4)), answer()"
        let values = try await engine.evaluate(code, returning: Int.self, Int.self, Int.self)
        #expect(values == (9, 16, 42))
        engine.registerFunction("answer") { 43 }
        #expect(throws: ScriptError.self) { try engine.validate() }
    }
}
