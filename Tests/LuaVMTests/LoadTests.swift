import Testing

@testable import LuaVM

@Suite struct LoadTests {
    @Test func `a first line with # and a byte order mark are skipped and lines keep their numbers`() throws {
        let host = TestHost()
        let script = "#!/usr/bin/env opscript\nreturn debug.getinfo(1, 'l').currentline"
        #expect(try host.results(script) == ["2"])
        #expect(try host.results("\u{FEFF}" + script) == ["2"])
        #expect(try host.results("\u{FEFF}return 1") == ["1"])
        #expect(try host.results("#!only a comment") == [])
        #expect(try host.results("") == [])
    }

    @Test func `a syntax error names file and line`() {
        let host = TestHost()
        let error = #expect(throws: LuaError.self) { try host.vm.load("x = = 1", name: "@dir/job.lua") }
        #expect(error?.code == .syntax)
        #expect(error?.message == "dir/job.lua:1: unexpected symbol near '='")
        #expect(host.main.top == 0)
    }

    @Test func `binary chunks are refused`() throws {
        let host = TestHost()
        let root = try host.run("return string.dump(function() end)")
        let binary = try #require(root.state.bytes(1))
        let error = #expect(throws: LuaError.self) { try host.vm.load(binary, name: "@job.lua") }
        #expect(error?.message == "job.lua: a binary chunk is refused; give the source text")
        let behindComment = Array("# x\n".utf8) + binary
        #expect(throws: LuaError.self) { try host.vm.load(behindComment, name: "@job.lua") }
        #expect(host.main.top == 0)
    }

    @Test func `load of scripts takes text only`() throws {
        let host = TestHost()
        let results = try host.results(
            """
            local binary = string.dump(function() return 1 end)
            local f, message = load(binary, "b", "b")
            local g, other = load(binary, "b")
            local env = {}
            load("x = 5", "x", "t", env)()
            return tostring(f), message, tostring(g), other, load("return 1")(), env.x,
                tostring(pcall(load("return x", "x", "t", nil)))
            """
        )
        #expect(results[0] == "nil" && results[2] == "nil")
        #expect(results[1] == "binary chunks are refused (mode is 'b'); give the source text")
        #expect(results[3].contains("attempt to load a binary chunk (mode is 't')"))
        #expect(results[4...] == ["1", "5", "false"])
    }

    @Test func `binary chunks are loaded where the configuration allows it`() throws {
        var configuration = LuaConfiguration.full
        configuration.loadsBinaryChunks = true
        let host = TestHost(configuration)
        let root = try host.run("return string.dump(function() return 7 end)")
        let binary = try #require(root.state.bytes(1))
        for bytes in [binary, Array("# x\n".utf8) + binary] {
            try host.vm.load(bytes, name: "@job.luac")
            try host.main.call(arguments: 0, results: 1)
            #expect(host.main.integer(-1) == 7)
            host.main.setTop(0)
        }
        let code =
            "local binary = string.dump(print and function() return 8 end) return load(binary, 'b', 'b')()"
        #expect(try host.results(code) == ["8"])
    }

    @Test func `load with mode b refuses everything`() throws {
        // Mode `b` alone accepts only binary chunks, which are refused.
        let host = TestHost()
        #expect(try host.results("return load('return 1', 'x', 'b')")[0] == "nil")
        #expect(try host.results("return load(string.dump(load('return 1')), 'x', 'bt')")[0] == "nil")
    }
}
