import Testing

@testable import LuaVM

/// The order of `pairs` and `next` in a reproducible state.
@Suite struct OrderTests {
    private func results(_ script: String) throws -> [String] {
        var configuration = LuaConfiguration.full
        configuration.isReproducible = true
        return try TestHost(configuration).results(script)
    }

    @Test func `objects are traversed in the order in which they were made`() throws {
        let text = try results(
            """
            local made, set, names = {}, {}, {}
            for place = 1, 200 do
                local kind = place % 5
                local key = kind == 0 and {} or kind == 1 and function() return place end or kind == 2 and coroutine.create(print)
                    or kind == 3 and io.tmpfile() or setmetatable({}, { __gc = function() end })
                made[place] = key
            end
            -- Put in backwards, with garbage in between that moves what was allocated.
            for place = #made, 1, -1 do set[made[place]] = place; made[place] = nil; collectgarbage("step") end
            for _, place in pairs(set) do names[#names + 1] = place end
            return table.concat(names, " ")
            """
        )[0]
        #expect(text == (1...200).map(String.init).joined(separator: " "))
    }

    @Test func `numbers of all sizes are sorted`() throws {
        let text = try results(
            """
            local set, names = {}, {}
            for _, key in ipairs { 2^53, math.maxinteger, math.mininteger, -0.5, math.huge, -math.huge,
                2^63, 0, math.maxinteger - 1 } do
                set[key] = true
            end
            for key in next, set do names[#names + 1] = string.format("%.17g", key) end
            return table.concat(names, " ")
            """
        )[0]
        #expect(
            text
                == "-inf -9.2233720368547758e+18 -0.5 0 9007199254740992 9.2233720368547758e+18 9.2233720368547758e+18 9.2233720368547758e+18 inf"
        )
    }

    @Test func `functions of libraries and strings with zeros have places too`() throws {
        let text = try results(
            """
            local set, names = { [print] = "print", ["a\\0b"] = "zero", ["a"] = "short", [string.rep("a", 100)] = "long" }, {}
            for _, name in pairs(set) do names[#names + 1] = name end
            local again = {}
            for _, name in pairs(set) do again[#again + 1] = name end
            assert(table.concat(again) == table.concat(names))
            return table.concat(names, " ")
            """
        )[0]
        #expect(text == "short zero long print")
    }

    @Test func `a stock state keeps the stock functions`() throws {
        let host = TestHost(.full)
        #expect(try host.results("local f, t, k = pairs {} return f == next, k == nil") == ["true", "true"])
        #expect(try results("local f, t, k = pairs {} return f == next, k == nil") == ["true", "true"])
    }
}
