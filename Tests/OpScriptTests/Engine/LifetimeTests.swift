import Foundation
import OpScript
import Testing

/// Engines that are created and released.
@Suite(.serialized) struct LifetimeTests {
    /// How many threads of engines this process has.
    private static var engineThreads: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let name = (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) ?? ""
            return name.hasPrefix("opscript-script") || name.hasPrefix("opscript-limit")
        }
    }

    private static var openDescriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }

    /// Pages of memory of its own that the process has.
    private static var residentPages: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return Int(text.split(separator: " ").dropFirst().first ?? "0") ?? 0
    }

    final class Guest: Sendable {
        let alive: HostObjectTests.Tally

        init(_ alive: HostObjectTests.Tally) {
            self.alive = alive
            alive.add(1)
        }

        deinit { alive.add(-1) }
    }

    /// Makes an engine in one of many states, uses it, and drops it.
    private func comeAndGo(_ round: Int, _ alive: HostObjectTests.Tally) async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.standardError = { _ in }
        if round % 7 == 0 { configuration.sliceLimit = .seconds(60) }
        if round % 5 == 0 { configuration.scriptExecutor = .manual }
        let engine = ScriptEngine(configuration)
        engine.expose(Guest.self) { _ in }
        if round % 5 == 0 {
            // Made and closed where it was polled.
            try engine.poll()
            return
        }
        try await engine.set("guest", Guest(alive))
        switch round % 4 {
        case 0: _ = try await engine.run(code: "local g = guest")
        case 1: try await engine.evaluate("Timer.scheduledTimer(3600, true, function() return guest end)")
        case 2: _ = try await engine.evaluate("function() return guest end", as: ScriptFunction.self)
        default: break
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `ten thousand engines leave nothing behind`() async throws {
        let alive = HostObjectTests.Tally()
        for round in 1...200 { try await comeAndGo(round, alive) }
        let descriptors = Self.openDescriptors
        // Other tests take and return memory meanwhile, so the smallest growth of five parts counts.
        var growth = Int.max
        for part in 0..<5 {
            let pages = Self.residentPages
            for round in 1...2000 { try await comeAndGo(2000 * part + round, alive) }
            growth = min(growth, Self.residentPages - pages)
        }
        // Threads close their states on their own time.
        while alive.now > 0 || Self.engineThreads > 8 { await Task.yield() }
        #expect(alive.now == 0)
        // Other tests run beside it, with some engines of theirs.
        #expect(Self.openDescriptors < descriptors + 100)
        // A Lua state has more than 20 KB: two thousand would be 40 MB.
        #expect(growth < 20 << 20 / 4096)
    }
}
