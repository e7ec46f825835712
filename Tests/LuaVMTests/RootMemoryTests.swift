import Testing

@testable import LuaVM

/// The accounting of coroutines and userdata that the host keeps, for Lua's collector.
@Suite(.enabled(if: !isHostile, "each allocation collects everything")) struct RootMemoryTests {
    private let host = TestHost()
    private let table: LuaReference

    init() throws {
        host.define("cycleEnded") { raw in
            LuaState(raw).vm.cycleEnded()
            return 0
        }
        host.main.newTable()
        table = host.vm.makeReference(host.main)
    }

    /// Counts cycles of the collector from now on.
    private func watchCycles(telling: Bool = true) throws {
        try host.run(
            """
            cycles = 0
            local function watch()
                local function ended()
                    cycles = cycles + 1
                    \(telling ? "cycleEnded()" : "")
                    watch()
                end
                setmetatable({}, { __gc = ended })
            end
            watch()
            """
        )
    }

    private func cycles() throws -> Int {
        host.main.getGlobal("cycles")
        defer { host.main.pop() }
        return try #require(host.main.integer(-1))
    }

    private func make(_ count: Int) {
        for place in 1...count { _ = LuaRoot.make(host.main, in: table, at: place) }
    }

    private func drop(_ count: Int) {
        for place in 1...count { LuaRoot.drop(host.main, in: table, at: place) }
    }

    @Test func `roots that are kept give the collector nothing to do`() throws {
        try watchCycles()
        host.vm.collectGarbage()
        let before = try cycles()
        make(20_000)
        #expect(try cycles() <= before + 1)
        #expect(host.vm.memoryInUse > 16 << 20)
    }

    @Test(arguments: [true, false])
    func `dropped roots are collected when others are created`(tellsOfCycles: Bool) throws {
        try watchCycles(telling: tellsOfCycles)
        let before = host.vm.memoryInUse
        for _ in 0..<200 {
            make(500)
            drop(500)
        }
        #expect(host.vm.memoryInUse < before + (8 << 20))
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(host.vm.memoryInUse < before + (1 << 20))
    }

    @Test func `after a full collection by a script, no debt is left for dropped roots`() throws {
        try watchCycles(telling: false)
        make(5_000)
        drop(5_000)
        try host.run("collectgarbage()")
        let before = try cycles()
        make(5_000)
        #expect(try cycles() <= before + 1)
    }

    @Test func `a collector that a script has stopped stays stopped`() throws {
        try watchCycles()
        try host.run("collectgarbage('stop') for i = 1, 100000 do local t = { {} } end")
        let before = try cycles()
        make(10_000)
        #expect(try cycles() == before)
        try host.run("collectgarbage('restart') for i = 1, 100000 do local t = { {} } end")
        #expect(try cycles() > before)
    }

    // MARK: userdata

    /// Keeps userdata of a quarter of a kilobyte.
    private func keep(_ count: Int, tells: Bool = true) {
        table.push(host.main)
        for place in 1...count {
            if tells { host.main.noteKept() }
            host.main.newUserdata(size: 216)
            host.main.rawSet(-2, place)
        }
        host.main.pop()
    }

    private func letGo(_ count: Int) {
        table.push(host.main)
        for place in 1...count {
            host.main.push(false)
            host.main.rawSet(-2, place)
            host.main.noteDropped()
        }
        host.main.pop()
    }

    @Test func `userdata that are kept give the collector little to do`() throws {
        try watchCycles()
        func cyclesMeanwhile(tells: Bool) throws -> Int {
            letGo(100_000)
            try host.run("collectgarbage() collectgarbage()")
            let before = try cycles()
            keep(100_000, tells: tells)
            #expect(host.vm.memoryInUse > 20 << 20)
            return try cycles() - before
        }
        keep(100_000, tells: false)
        let untold = try cyclesMeanwhile(tells: false)
        let told = try cyclesMeanwhile(tells: true)
        #expect(told * 2 < untold, "\(told) and \(untold) cycles")
    }

    @Test func `userdata that were dropped are collected when others are made`() throws {
        try watchCycles()
        let before = host.vm.memoryInUse
        for _ in 0..<200 {
            keep(2_000)
            letGo(2_000)
        }
        #expect(host.vm.memoryInUse < before + (8 << 20))
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(host.vm.memoryInUse < before + (1 << 20))
    }
}
