import OpScriptScenarios
import Testing

/// Patterns of Lua, without Lua.
@Suite struct LuaPatternTests {
    @Test(arguments: ["", "a", "%a+", "^(%d)$", "[]]", "[^]%]]", "%b()", "%f[%w]x", "[%]]", "(()a)", "%%"])
    func `what Lua takes is good`(_ pattern: String) {
        #expect(LuaPattern.problem(in: pattern) == nil)
    }

    @Test(
        arguments: [
            ("(", "'(' without ')'"), ("a)", "')' without '('"), ("[a", "'[' without ']'"),
            ("%", "it ends with '%'"), ("%b(", "'%b' needs two characters behind it"),
            ("%fx", "'%f' needs a '[' behind it"), ("[%", "'[' without ']'"),
        ]
    ) func `what Lua refuses is named`(_ pattern: String, _ problem: String) {
        #expect(LuaPattern.problem(in: pattern) == problem)
    }

    @Test func `a text is found where it stands`() throws {
        let name = "adds (1 + 1) % 100.5 ü"
        #expect(try ProjectFile.matching([name, "adds"], ["^\(LuaPattern.quoted(name))$"]) == [name])
    }
}
