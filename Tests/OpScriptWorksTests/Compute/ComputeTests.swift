import OpScript
import TestSupport
import Testing

@testable import OpScriptWorks

@Suite struct ComputeTests {
    @Test func `primes below a number are counted`() throws {
        for (n, count) in [
            (Int.min, 0), (0, 0), (2, 0), (3, 1), (4, 2), (5, 2), (6, 3), (100, 25), (1000, 168),
            (1_000_000, 78498),
            (10_000_000, 664_579),
        ] {
            #expect(try primeCount(WorkContext(), below: n) == count, "below \(n)")
        }
    }

    @Test func `each small number is right`() throws {
        var count = 0
        for n in 0..<3000 {
            #expect(try primeCount(WorkContext(), below: n) == count)
            if n >= 2, !(2..<max(2, n)).contains(where: { n.isMultiple(of: $0) }) { count += 1 }
        }
    }

    @Test func `a number that would take days is refused`() {
        #expect(message { _ = try primeCount(WorkContext(), below: .max) }.contains("is the most"))
    }

    @Test func `computing and blocking detect cancellation`() async throws {
        let context = WorkContext()
        let tasks = [
            Task { try await blocking { _ = try primeCount(context, below: 1_000_000_000_000) } },
            Task { try await blocking { try block(context, seconds: 1e9) } },
        ]
        context.cancel()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test func `blocking takes at least the given time`() throws {
        let context = WorkContext()
        let duration = try ContinuousClock().measure { try block(context, seconds: 0.03) }
        #expect(duration >= .milliseconds(30))
        #expect(context.progress.fractionCompleted == 1)
        #expect(message { try block(context, seconds: .nan) }.contains("a number of at least 0"))
        #expect(message { try block(context, seconds: -1) }.contains("a number of at least 0"))
    }
}
