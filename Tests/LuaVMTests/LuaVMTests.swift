import Testing

@testable import LuaVM

nonisolated func waitingFunction(_ raw: OpaquePointer) -> Int32 { LuaReply.wait }

struct SmokeTests {
    @Test func `a root waits and goes on`() throws {
        let vm = LuaVM(.full)
        vm.main.push(waitingFunction)
        vm.main.setGlobal("wait")
        let root = LuaRoot.push(vm.main)
        try vm.load(
            """
            local a, b = wait("x")
            local g = coroutine.wrap(function() coroutine.yield(wait()) end)
            return a + b, g(), (pcall(table.sort, {1,2,3}, function() wait() end)),
              select(2, pcall(table.sort, {1,2,3}, function() wait() end)),
              coroutine.isyieldable(), select(2, coroutine.running()), select(2, pcall(coroutine.yield))
            """, name: "=job", into: root.state)
        #expect(root.start() == .waiting)
        root.state.push(true)
        root.state.push(1)
        root.state.push(2)
        #expect(root.deliver(3) == .waiting)
        root.state.push(true)
        root.state.push("g")
        let outcome = root.deliver(2)
        #expect(outcome == .finished(7))
        print((1...root.state.top).map { root.state.summary($0) })
        #expect(root.isExposed)
        root.clear()
        try vm.load("local t <close> = setmetatable({}, {__close = function() wait() end}) error('oops')", name: "=job2", into: root.state)
        #expect(root.start() == .waiting)
        root.state.push(true)
        #expect(root.deliver(1) == .failed)
        let e = LuaError(taking: root.state)
        print(e.message, e.traceback)
    }
}
