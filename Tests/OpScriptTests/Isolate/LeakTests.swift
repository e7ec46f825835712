import Glibc
import OpScript
import TestSupport
import Testing

/// Leaks of isolates and threads in a process that continues. Each test has a process of its own, since the
/// memory of other tests would hide a leak.
@Suite(
    .serialized,
    .timeLimit(.minutes(30)),
    .enabled(if: Sanitizer.current != .address, "the address sanitizer keeps memory that was freed")
) struct LeakTests {
    /// The memory and descriptors of the process.
    private struct Holdings {
        var bytes: Int
        var descriptors: Int
        var threads: Int

        static func now() throws -> Holdings {
            // Pages of the process's own: the second number of statm less the third.
            let words = try read("/proc/self/statm").split(separator: " ").compactMap { Int($0) }
            return Holdings(
                bytes: (words[1] - words[2]) * 4096,
                descriptors: entries("/proc/self/fd"),
                threads: entries("/proc/self/task")
            )
        }

        private static func read(_ path: String) throws -> String {
            let file = try #require(fopen(path, "r"))
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = fread(&buffer, 1, buffer.count, file)
            return String(decoding: buffer[..<count], as: UTF8.self)
        }

        private static func entries(_ path: String) -> Int {
            guard let folder = opendir(path) else { return -1 }
            defer { closedir(folder) }
            var count = 0
            while readdir(folder) != nil { count += 1 }
            return count
        }
    }

    /// Runs a piece again and again in one engine; returns the growth during the last three quarters of the
    /// rounds.
    fileprivate func growth(of code: String, rounds: Int) async throws -> (
        bytes: Int, descriptors: Int, threads: Int
    ) {
        var configuration = ScriptEngine.Configuration()
        configuration.capabilities = .threads
        let engine = ScriptEngine(configuration)
        engine.register("nothing") { () in }
        func run(_ rounds: Int) async throws {
            for _ in 0..<rounds {
                let report = try await engine.run(code: code)
                #expect(report.exitCode == 0, "\(report.failures.map(\.message))")
            }
        }
        try await run(rounds / 4)
        let before = try Holdings.now()
        try await run(rounds - rounds / 4)
        let after = try Holdings.now()
        return (
            after.bytes - before.bytes, after.descriptors - before.descriptors, after.threads - before.threads
        )
    }

    /// Limits far below the leak of all objects.
    fileprivate func expectNone(_ growth: (bytes: Int, descriptors: Int, threads: Int), _ count: Int) {
        #expect(growth.bytes < count * 300, "\(growth.bytes) bytes for \(count)")
        #expect(growth.descriptors < 100, "\(growth.descriptors) descriptors")
        #expect(growth.threads < 100, "\(growth.threads) threads")
    }

    @Test func `a hundred thousand isolates leave nothing behind`() async throws {
        await #expect(processExitsWith: .success) {
            let tests = LeakTests()
            let code = """
                for i = 1, 1000 do
                    local captured = { name = ("x"):rep(100), i }
                    local function helper() return captured end
                    local made = isolate(function() leaked = helper() return #leaked.name end)
                    if i % 2 == 0 then OperationQueue.default:addOperation(made()) end
                end
                collectgarbage()
                """
            tests.expectNone(try await tests.growth(of: code, rounds: 100), 75_000)
        }
    }

    @Test func `a hundred thousand threads leave nothing behind`() async throws {
        await #expect(processExitsWith: .success) {
            let tests = LeakTests()
            let code = """
                local threads = {}
                for i = 1, 100 do
                    for j = 1, 8 do Thread { work = "nothing" } end
                    local thread = i % 2 == 0 and Thread.detach("nothing") or Thread.detach(isolate(function() return i end))
                    thread:join()
                end
                collectgarbage()
                """
            // 900 of them a round, 100 of which run.
            tests.expectNone(try await tests.growth(of: code, rounds: 112), 84 * 900)
        }
    }

    @Test func `a leak is detected`() async throws {
        await #expect(processExitsWith: .success) {
            let tests = LeakTests()
            let code = """
                kept = kept or {}
                for i = 1, 1000 do
                    local captured = { name = ("x"):rep(100), i }
                    kept[#kept + 1] = isolate(function() return captured.name end)
                end
                """
            let growth = try await tests.growth(of: code, rounds: 20)
            #expect(growth.bytes > 15_000 * 300, "only \(growth.bytes) bytes for 15 000 that are held")
        }
    }
}
