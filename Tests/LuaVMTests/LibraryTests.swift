import Testing

@testable import LuaVM

@Suite struct LibraryTests {
    private func globals(_ configuration: LuaConfiguration, of table: String = "_G") throws -> Set<String> {
        let host = TestHost(configuration)
        let names = try host.results(
            "local t = {} for k in pairs(\(table)) do t[#t + 1] = k end return table.concat(t, ' ')"
        )
        return Set(names[0].split(separator: " ").map(String.init))
    }

    @Test func `the safe profile is an allow-list`() throws {
        let base: Set = [
            "_G", "_VERSION", "assert", "collectgarbage", "error", "getmetatable", "ipairs", "load", "next",
            "pairs",
            "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber",
            "tostring",
            "type", "warn", "xpcall",
        ]
        let libraries: Set = ["coroutine", "table", "string", "math", "utf8", "os", "debug"]
        let own: Set = ["wait", "waitAndFail", "note"]
        #expect(try globals(LuaConfiguration()) == base.union(libraries).union(own))
        #expect(try globals(LuaConfiguration(), of: "os") == ["time", "clock", "date", "difftime"])
        #expect(try globals(LuaConfiguration(), of: "debug") == ["traceback"])
        #expect(try !globals(LuaConfiguration(), of: "string").contains("dump"))
        let all = try globals(LuaConfiguration(libraries: .all))
        #expect(all == base.union(libraries).union(own).union(["package", "require"]))
    }

    @Test func `libraries that were not requested are missing`() throws {
        let names = try globals(LuaConfiguration(libraries: [.base, .table]))
        #expect(names.contains("table") && !names.contains("string") && !names.contains("coroutine"))
        let vm = LuaVM(LuaConfiguration(libraries: []))
        #expect(vm.main.getGlobal("print") == .nil)
    }

    @Test func `the full profile has everything`() throws {
        let names = try globals(.full)
        for name in ["io", "package", "require", "dofile", "loadfile"] { #expect(names.contains(name)) }
        #expect(try globals(.full, of: "os").contains("execute"))
        #expect(try globals(.full, of: "debug").contains("sethook"))
    }

    @Test func `safe packages come from preload only`() throws {
        let host = TestHost(LuaConfiguration(libraries: .all))
        let results = try host.results(
            """
            package.preload.mine = function() return "loaded" end
            package.path = "/usr/share/lua/5.4/?.lua;./?.lua"
            local ok, message = pcall(require, "other")
            return require("mine"), ok, #package.searchers, package.loadlib, package.searchpath
            """
        )
        #expect(results == ["loaded", "false", "1", "nil", "nil"])
    }

    @Test func `the collector is only partly a script's in the safe profile`() throws {
        let host = TestHost(LuaConfiguration())
        #expect(
            try host.results("collectgarbage() collectgarbage('step') return type(collectgarbage('count'))")
                == ["number"]
        )
        let error = try host.failure("collectgarbage('stop')")
        #expect(
            error.message == "job:1: collectgarbage 'stop' is not allowed here; use collect, count or step"
        )
        #expect(try TestHost().results("return collectgarbage('isrunning')") == ["true"])
    }

    @Test func `finalizers of scripts are refused if the host wants that`() throws {
        let host = TestHost(LuaConfiguration(refusesFinalizers: true))
        #expect(try host.failure("setmetatable({}, { __gc = true })").message.contains("'__gc' is refused"))
        #expect(try host.results("return getmetatable(setmetatable({}, { __index = 1 })).__index") == ["1"])
        #expect(try TestHost().results("return type(setmetatable({}, { __gc = tostring }))") == ["table"])
    }

    @Test func `print passes whole lines to the host`() throws {
        let host = TestHost()
        var lines: [String] = []
        host.vm.printer = { lines.append(String(decoding: $0, as: UTF8.self)) }
        try host.run("print('a', 1, nil, 2.5) print() print('b\\0c') print(('x'):rep(5000))")
        #expect(lines == ["a\t1\tnil\t2.5\n", "\n", "b\0c\n", String(repeating: "x", count: 5000) + "\n"])
        let error = try host.failure("print(setmetatable({}, { __tostring = function() return {} end }))")
        #expect(error.message.contains("'__tostring' must return a string"))
    }

    @Test func `warnings reach the host once they are on`() throws {
        let host = TestHost()
        var warnings: [String] = []
        host.vm.warner = { warnings.append($0) }
        try host.run(
            "warn('lost') warn('@on') warn('one ', 'two') warn('@off') warn('lost') warn('@on') warn('three')"
        )
        #expect(warnings == ["one two", "three"])
        #expect(host.vm.warningsEnabled)
        try host.run(
            "setmetatable({}, { __gc = function() error('oops') end }) collectgarbage() collectgarbage()"
        )
        #expect(warnings.last?.contains("oops") == true)
    }

    @Test func `string functions take the text of error objects`() throws {
        let host = TestHost()
        host.main.push(error: Failure())
        host.main.setGlobal("e")
        let results = try host.results(
            """
            local s = string
            return s.find(e, "broke"), s.match(e, "it (%a+)"), s.gsub(e, "it", "all"), s.sub(e, 1, 2), s.byte(e), s.len(e),
                s.upper(e), s.lower(e), s.rep(e, 2, "-"), s.reverse(e), s.format(e), tostring(e), s.gmatch(e, "%a+")()
            """
        )
        #expect(
            results == [
                "4", "broke", "all broke", "it", "105", "8", "IT BROKE", "it broke", "it broke-it broke",
                "ekorb ti",
                "it broke", "it broke", "it",
            ]
        )
        #expect(
            try host.failure("string.len(io.stdout)").message
                == "job:1: bad argument #1 to 'len' (string expected, got FILE*)"
        )
        #expect(try host.results("return ('abc'):len(), string.len(12)") == ["3", "2"])
    }

    @Test func `loops in C that no hook can stop are stopped by limits`() throws {
        let host = TestHost()
        #expect(
            try host.results("return #(''):rep(1 << 60), #(''):rep(1 << 60, ''), ('ab'):rep(2, '')") == [
                "0", "0", "abab",
            ]
        )
        var configuration = LuaConfiguration.full
        configuration.instructionLimit = 100_000
        let limited = TestHost(configuration)
        for script in [
            "table.move({}, 1, math.maxinteger - 1, 2)",
            "table.move({}, 2, math.maxinteger, 1)",
            "table.move({}, 1, 1 << 60, 1, {})",
            "table.move(setmetatable({}, { __eq = function() return true end }), 1, 1 << 60, 3, setmetatable({}, {}))",
            "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 'x')",
            "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
        ] {
            let message = try limited.failure(script).message
            #expect(message == "limit of 100000 instructions without a wait reached", "\(message)")
        }
        let results = try host.results(
            """
            local t = table.move({ 1, 2, 3 }, 1, 3, 2)
            table.insert(t, 5) table.insert(t, 1, 0) table.remove(t, 2)
            return table.concat(t, " ")
            """
        )
        #expect(results == ["0 1 2 3 5"])
    }

    @Test func `string functions request a text from the host that is created late`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "LateError", isBox: false)
        host.vm.errorObjectMetatable = metatable
        host.vm.errorTextPusher = { state, index in state.push("late \(state.anyUserdata(index) != nil)") }
        host.main.newUserdata(size: 8)
        metatable.push(host.main)
        host.main.setMetatable(-2)
        host.main.setGlobal("e")
        #expect(try host.results("return string.upper(e)") == ["LATE TRUE"])
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description = "it broke"
}
