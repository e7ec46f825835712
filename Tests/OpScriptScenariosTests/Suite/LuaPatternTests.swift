import OpScriptScenarios
import Testing

/// Patterns of Lua, without Lua.
@Suite struct LuaPatternTests {
    @Test(arguments: ["", "a", "%a+", "^(%d)$", "[]]", "[^]%]]", "%b()", "%f[%w]x", "[%]]", "(()a)", "%%"])
    func `patterns that Lua takes are valid`(_ pattern: String) {
        #expect(LuaPattern.problem(in: pattern) == nil)
    }

    @Test(
        arguments: [
            ("(", "'(' without ')'"), ("a)", "')' without '('"), ("[a", "'[' without ']'"),
            ("%", "it ends with '%'"), ("%b(", "'%b' needs two characters behind it"),
            ("%fx", "'%f' needs a '[' behind it"), ("[%", "'[' without ']'"),
        ]
    ) func `faults of patterns that Lua refuses are named`(_ pattern: String, _ problem: String) {
        #expect(LuaPattern.problem(in: pattern) == problem)
    }

    @Test func `a quoted text matches itself`() throws {
        let name = "adds (1 + 1) % 100.5 ü"
        #expect(try ProjectFile.matching([name, "adds"], ["^\(LuaPattern.quoted(name))$"]) == [name])
    }
}
