import Testing

@testable import OpScriptCLI

/// The variables of a piece of Lua that later pieces see.
@Suite struct PromptChunkTests {
    private func chunk(_ text: String) -> PromptChunk { PromptChunk(Array(text.utf8)) }

    @Test(arguments: [
        ("local x = 1", ["x"]),
        ("local a, b <const>, c = 1, 2", ["a", "b", "c"]),
        ("local f <close> = g()", []),
        ("local function f() local y end", ["f"]),
        ("do local x end local z", ["z"]),
        ("for i = 1, 2 do local x end", []),
        ("while a do local x end local q", ["q"]),
        ("if a then local x elseif b then local y else local w end local q", ["q"]),
        ("repeat local x until x local q", ["q"]),
        ("f(function() local x end, { local_ = 1 }) local q", ["q"]),
        ("x = 'local y' -- local z\n--[[ local w ]] local q", ["q"]),
        ("local _ENV = {}", []),
        ("local x local x", ["x"]),
    ])
    func `variables at the top level`(_ text: String, _ locals: [String]) {
        #expect(chunk(text).locals == locals)
    }

    @Test func `the place before a return at the top level`() {
        let text = "local x = 1 return function() return x end"
        #expect(chunk(text).end == 12)
        #expect(chunk("local x = 1").end == 11)
    }

    @Test func `unfinished text has words, too`() {
        let words = LuaWords(Array("x = \"abc".utf8))
        #expect(words.words.last?.kind == .string(isOpen: true))
        #expect(LuaWords(Array("--[[ x".utf8)).words.last?.kind == .openComment)
        #expect(
            LuaWords(Array("0x1p-3 1e+5 .5 a..b".utf8)).words.map(\.kind).filter { $0 == .number }.count == 3
        )
    }
}
