import Testing

@testable import LuaVM

/// The string functions that limits can stop, compared with the stock ones.
@Suite struct PatternTests {
    private static let bounded: LuaConfiguration = {
        var configuration = LuaConfiguration.full
        configuration.boundsPatterns = true
        return configuration
    }()

    /// Calls each function with each text and pattern, and returns all results as text.
    private static let show = #"""
        local texts, patterns, replacements = ...
        local found = {}
        local function note(...)
            local t = table.pack(...)
            for i = 1, t.n do t[i] = math.type(t[i]) == "integer" and t[i] or tostring(t[i]) end
            found[#found + 1] = table.concat(t, "|")
        end
        for _, text in ipairs(texts) do
            for _, pattern in ipairs(patterns) do
                for _, init in ipairs { 1, 3, -2, 0, 100 } do
                    note(pcall(string.find, text, pattern, init))
                    note(pcall(string.match, text, pattern, init))
                    note(pcall(function()
                        for a, b, c in string.gmatch(text, pattern, init) do note(a, b, c) end
                    end))
                end
                note(pcall(string.find, text, pattern, 2, true))
                for _, replacement in ipairs(replacements) do note(pcall(string.gsub, text, pattern, replacement)) end
                note(pcall(string.gsub, text, pattern, "<%0>", 2))
            end
        end
        return table.concat(found, "\n")
        """#

    private static let arguments = #"""
        local texts = {
            "", "a", "hello world", "key = value; other=thing", "(a(b)c)(d", "THE (quick) fox", "aaaab", "a\0b\0c", "äöü 12.5e3",
            "x=1, y=22, z=333", "  trim me  ", "%d%%", "]]-^", ("ab"):rep(50),
        }
        local patterns = {
            "", "a", ".", ".*", ".-", ".+", "a*", "a?b", "a-b", "^a", "b$", "^$", "%a+", "%s*$", "^%s*(.-)%s*$", "(%w+)%s*=%s*(%w+)",
            "%b()", "%f[%w]%w+", "%f[%z]", "[%w_]*", "[^%s]+", "[a-c]", "[]]", "[^]]", "[%]-]", "[a%-z]", "()", "(()a)()", "(a)(b)%2%1",
            "(.)%1", "%z", "%Z", "%%", "%d+%.?%d*", "[0-9]+", "$", "a$b", "^^", "-", "*", "?a", "(a", "a)", "(()", "%", "[a", "[", "[%",
            "%b", "%b(", "%f", "%1", "(a)%2", "%0", "((a)%1)", "\0", "[\0]", ("a?"):rep(100) .. "b", ("(a)"):rep(33), "(.)(.)(.)(.)",
            ("x*"):rep(150), ("(x*)"):rep(30), ("."):rep(300), "%G", "[%a%d]+%p", "\xff", "[\x80-\xff]+",
        }
        local replacements = {
            "x", "<%0>", "%1", "%2", "%%", "%", "%x", "", function(a) return a and a:upper() end, function() return nil end,
            function() return {} end, function() return 1 end, { a = "A", hello = 5, ["ab"] = false },
        }
        return texts, patterns, replacements
        """#

    private func results(_ configuration: LuaConfiguration) throws -> String {
        let host = TestHost(configuration)
        try host.vm.load(Self.show, name: "=show")
        try host.vm.load(Self.arguments, name: "=arguments")
        try host.main.call(arguments: 0, results: 3)
        try host.main.call(arguments: 3, results: 1)
        return try #require(host.main.string(-1))
    }

    @Test func `they return the same as the stock ones`() throws {
        let stock = try results(.full).split(separator: "\n", omittingEmptySubsequences: false)
        let bounded = try results(Self.bounded).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(stock.count > 10_000)
        #expect(stock.count == bounded.count)
        for (line, (ours, theirs)) in zip(bounded, stock).enumerated() where ours != theirs {
            Issue.record("line \(line): \(ours) instead of \(theirs)")
        }
    }

    @Test(arguments: [
        "('a'):rep(4000):find('.-.-.-.-b')",
        "(('('):rep(1000000)):gsub('%b()', '')",
        "(('a'):rep(100000)):gsub('(a*)%1b', '')",
    ])
    func `a limit of instructions stops them`(_ script: String) throws {
        let host = TestHost(Self.bounded)
        host.vm.setInstructionLimit(50_000)
        let error = try host.failure(script)
        #expect(error.message.contains("limit of 50000 instructions without a wait reached"))
        #expect(error.frames.first?.name == "find" || error.frames.first?.name == "gsub")
        #expect(try host.results("return ('abc'):find('b')") == ["2", "2"])
    }

    @Test func `a plain search is linear, and needs no limit`() throws {
        let host = TestHost(Self.bounded)
        host.vm.setInstructionLimit(50_000)
        let script = "return ('a'):rep(1000000):find(('a'):rep(500000) .. 'b', 1, true)"
        #expect(try host.results(script) == ["nil"])
    }

    /// Stock Lua fails after 200 consecutive repetitions: "pattern too complex".
    @Test func `a pattern is never too complex`() throws {
        let host = TestHost(Self.bounded)
        #expect(try host.results("return ('x'):find(('x*'):rep(5000) .. '$')") == ["1", "1"])
        #expect(try host.results("return #('ab'):match(('(a?)'):rep(30) .. 'b')") == ["1"])
    }
}
