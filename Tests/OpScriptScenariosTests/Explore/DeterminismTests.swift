import OpScript
import OpScriptScenarios
import Synchronization
import Testing

/// Scenarios that run twice.
@Suite struct DeterminismTests {
    private func run(_ body: String, real: Bool = false) async throws -> (ScenarioResult, runs: Int) {
        let count = Counter()
        var runner = Scenarios.runner()
        runner.checksDeterminism = true
        runner.isReal = real
        runner.register = { engine in
            engine.register("count") { () -> Int in count.next() }
        }
        let file = Scenarios.file("it('x', function()\n\(body)\nend)")
        let scenario = try #require(await runner.list(file).scenarios.first)
        let result = await runner.run(scenario, in: file)
        return (result, count.next() - 1)
    }

    @Test func `equal runs pass`() async throws {
        let (result, runs) = try await run("await(work.count()) print(os.time(), math.random(1000)) sleep(5)")
        #expect(result.outcome == .passed, "\(result.problems)")
        #expect(runs == 2)
        #expect(result.output.split(separator: UInt8(ascii: "\n")).count == 1)
    }

    @Test func `different runs fail with the first difference`() async throws {
        let (result, runs) = try await run("print('same') print(await(work.count()))")
        #expect(runs == 2)
        let message = try #require(result.problems.first?.message)
        #expect(message.contains("the second run differs from the first, from line"), "\(message)")
        #expect(
            message.contains("first:  0 printed 1") && message.contains("second: 0 printed 2"),
            "\(message)"
        )
    }

    @Test func `a failure of the second run alone is reported`() async throws {
        let (result, runs) = try await run("assert(await(work.count()) == 1, 'another number')")
        #expect(runs == 2)
        #expect(result.problems.count == 2)
        #expect(result.problems.last?.message.contains("another number") == true, "\(result.problems)")
    }

    @Test func `a scenario that fails, or runs on the real clock, runs once`() async throws {
        let (failed, runs) = try await run("await(work.count()) error('boom')")
        #expect(failed.problems.map(\.message).first?.contains("boom") == true)
        #expect(runs == 1)
        let (real, once) = try await run("print(await(work.count()))", real: true)
        #expect(real.outcome == .passed && once == 1)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
