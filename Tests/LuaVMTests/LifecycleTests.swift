import Testing

@testable import LuaVM

@Suite struct LifecycleTests {
    @Test func `finalizers run when a machine is closed and may call the host`() throws {
        let host = TestHost()
        try host.run(
            """
            keep = setmetatable({}, { __gc = function()
                note("last " .. tostring(pcall(wait)))
                note(select(2, pcall(error, { 1 }))[1])
                for i = 1, 1000 do local t = { i } end
            end })
            """
        )
        host.vm.close()
        #expect(host.notes == ["last false", "1"])
        #expect(host.vm.isClosed)
        host.vm.close()
    }

    @Test func `a machine that is dropped closes itself`() throws {
        var vm: LuaVM? = LuaVM(.full)
        weak let gone = vm
        vm?.main.push { raw in
            LuaState(raw).push(LuaState(raw).vm.isClosed)
            return 1
        }
        vm?.main.setGlobal("isClosed")
        try vm?.load("keep = setmetatable({}, { __gc = function() assert(isClosed()) end })", name: "=x")
        try vm?.main.call()
        vm = nil
        #expect(gone == nil)
    }

    @Test func `a machine with waiting roots can be closed`() throws {
        let host = TestHost()
        for _ in 0..<repeats(100) {
            #expect(try host.root("coroutine.wrap(function() wait() end)()").start() == .waiting)
        }
        host.vm.close()
    }

    @Test func `machines do not share anything`() throws {
        let first = TestHost()
        let second = TestHost()
        try first.run("x = 1 string.marked = true")
        #expect(try second.results("return x, string.marked") == ["nil", "nil"])
        #expect(try first.results("return x, string.upper('a')") == ["1", "A"])
    }

    @Test func `the word of the host is found from every coroutine`() throws {
        let host = TestHost()
        #expect(try host.results("note('a') coroutine.wrap(function() note('b') end)()") == [])
        #expect(host.notes == ["a", "b"])
    }

    @Test func `closing a machine that runs is a mistake of the host and traps`() async {
        await #expect(processExitsWith: .failure) {
            let vm = LuaVM()
            vm.main.push { raw in
                LuaState(raw).vm.close()
                return 0
            }
            try vm.main.call()
        }
    }
}
