import Testing

@testable import LuaVM

@Suite struct HostileTests {
    /// How many of 100 dropped objects are still there when the last one is made.
    private func survivors(isHostile: Bool) throws -> Int {
        let vm = LuaVM(LuaConfiguration(isHostile: isHostile))
        try vm.load(
            """
            local weak = setmetatable({}, { __mode = "k" })
            for i = 1, 100 do weak[{}] = true end
            local n = 0
            for _ in pairs(weak) do n = n + 1 end
            return n
            """,
            name: "=t"
        )
        try vm.main.call(results: 1)
        return vm.main.integer(-1) ?? 0
    }

    @Test func `the hostile collector collects values that nothing anchors at once`() throws {
        #expect(try survivors(isHostile: true) <= 2)
        #expect(try survivors(isHostile: false) > 50)
    }
}
