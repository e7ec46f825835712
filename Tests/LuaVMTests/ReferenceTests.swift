import Testing

@testable import LuaVM

#if canImport(Glibc)
import Glibc
#endif

@Suite struct ReferenceTests {
    /// Counts the tables that are still alive.
    private func alive(_ host: TestHost) throws -> String {
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        return try host.results("local n = 0 for _ in pairs(weak) do n = n + 1 end return n")[0]
    }

    private func hostWithWeakTable() throws -> TestHost {
        let host = TestHost()
        try host.run(
            "weak = setmetatable({}, { __mode = 'k' }) function make() local t = {} weak[t] = true return t end"
        )
        return host
    }

    private func make(_ host: TestHost) throws -> LuaReference {
        host.main.getGlobal("make")
        try host.main.call(results: 1)
        return host.vm.makeReference(host.main)
    }

    @Test func `a reference keeps its value and returns it`() throws {
        let host = try hostWithWeakTable()
        let reference = try make(host)
        #expect(try alive(host) == "1")
        reference.push(host.main)
        reference.push(host.main)
        #expect(host.main.rawEqual(-1, -2))
        #expect(reference.belongs(to: host.vm))
        host.main.setTop(0)
    }

    @Test func `a reference dropped on another thread is freed at the next drain`() throws {
        let host = try hostWithWeakTable()
        var references: [LuaReference]? = try (0..<100).map { _ in try make(host) }
        #expect(try alive(host) == "100")
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Dropped(references ?? [])).toOpaque()
        references = nil
        #expect(
            pthread_create(
                &thread,
                nil,
                { box in
                    guard let box else { return nil }
                    Unmanaged<Dropped>.fromOpaque(box).release()
                    return nil
                },
                box
            ) == 0
        )
        pthread_join(thread, nil)
        host.vm.drainReleases()
        #expect(try alive(host) == "0")
    }

    @Test func `places of dropped references are used again`() throws {
        let host = try hostWithWeakTable()
        let first = Set(try (0..<50).map { _ in try make(host) }.map(\.slot))
        host.vm.drainReleases()
        let second = Set(try (0..<50).map { _ in try make(host) }.map(\.slot))
        #expect(first.count == 50 && first == second)
    }

    @Test func `a reference may outlive its machine`() throws {
        var host: TestHost? = try hostWithWeakTable()
        let reference = try make(try #require(host))
        let vm = try #require(host?.vm)
        host = nil
        vm.close()
        #expect(!reference.belongs(to: vm))
    }

    @Test func `an error that outlives its machine still has its text`() throws {
        var error: LuaError?
        do {
            let host = TestHost()
            error = try host.failure("error('kept', 0)")
        }
        #expect(error?.message == "kept")
        let other = TestHost()
        other.main.push(error: try #require(error))
        #expect(other.main.string(-1) == "kept")
    }
}

private final class Dropped {
    let references: [LuaReference]

    init(_ references: [LuaReference]) { self.references = references }
}
