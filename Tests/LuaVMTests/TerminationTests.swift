import Testing

@testable import LuaVM

/// Errors that scripts may no longer catch: the host ends a root.
@Suite struct TerminationTests {
    /// Starts a script and ends it at its first wait as the host does after many fruitless errors.
    private func terminate(_ host: TestHost, _ script: String) throws -> String {
        let root = try host.root(script)
        #expect(root.start() == .waiting)
        host.vm.isTerminating = true
        defer { host.vm.isTerminating = false }
        var outcome = root.fail { $0.push("ended") }
        while outcome == .waiting { outcome = host.goOn(root) }
        #expect(outcome == .failed)
        return LuaError(taking: root.state).message
    }

    @Test(arguments: [
        "while true do pcall(wait) end",
        "while true do xpcall(wait, function() return 1 end) end",
        "while true do pcall(pcall, pcall, wait) end",
        "while true do coroutine.resume(coroutine.create(wait)) end",
        "while true do pcall(coroutine.wrap(function() wait() end)) end",
        "while true do coroutine.resume(coroutine.create(function() pcall(wait) end)) end",
    ])
    func `a loop that swallows errors is ended`(_ script: String) throws {
        #expect(try terminate(TestHost(), script).hasSuffix("ended"))
    }

    @Test func `close variables of all coroutines run, the innermost first`() throws {
        let host = TestHost()
        _ = try terminate(
            host,
            """
            local function level(n)
                local x <close> = setmetatable({}, { __close = function(_, e) note(n .. " " .. tostring(e)) end })
                if n == 3 then wait() else coroutine.resume(coroutine.create(level), n + 1) end
            end
            level(1)
            """
        )
        #expect(host.notes == ["3 ended", "2 ended", "1 ended"])
    }

    @Test func `code that is not terminated can catch errors as usual`() throws {
        let host = TestHost()
        let results = try host.results("local ok, e = pcall(waitAndFail, 'soft') return ok, e, wait('on')")
        #expect(results == ["false", "soft", "on"])
    }
}
