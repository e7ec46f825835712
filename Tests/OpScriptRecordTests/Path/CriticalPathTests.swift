import Testing

@testable import OpScriptRecord

/// The realised path and the bound, for records whose answers are known.
@Suite struct CriticalPathTests {
    @Test func `the time of an empty run belongs to the script`() {
        let path = SampleRun().finish(at: 30).criticalPath()
        #expect(path.pieces == [.init(kind: .waiting(.script), operation: nil, from: 0, to: 30)])
    }

    @Test func `a slot leads to the operation that held it`() {
        let run = SampleRun()
        let first = run.add("first", queue: ("q", 1), ready: 0, started: 2, ended: 10)
        run.add(
            "second",
            queue: ("q", 1),
            ready: 0,
            started: 11,
            startBecause: .slot,
            startedBy: first,
            ended: 20
        )
        let record = run.finish(at: 21)
        #expect(
            record.criticalPath().pieces
                == [
                    .init(kind: .waiting(.worker), operation: 0, from: 0, to: 2),
                    .init(kind: .running, operation: 0, from: 2, to: 10),
                    .init(kind: .waiting(.slot), operation: 1, from: 10, to: 11),
                    .init(kind: .running, operation: 1, from: 11, to: 20),
                    .init(kind: .waiting(.script), operation: nil, from: 20, to: 21),
                ]
        )
        #expect(record.boundPath() == BoundPath(operations: [1], length: 9))
    }

    @Test func `the end of an operation leads to the operations that the script added after it`() {
        let run = SampleRun()
        let first = run.add("first", started: 0, ended: 10)
        run.add("second", added: 12, started: 12, ended: 20, addedBy: first)
        let path = run.finish(at: 20).criticalPath()
        #expect(path.operations == [0, 1])
        #expect(path.waiting == [.script: 2])
        #expect(path.total == 20)
    }

    @Test func `the bound is the longest chain of dependencies`() {
        let run = SampleRun()
        let a = run.add("a", started: 0, ended: 5)
        let b = run.add("b", started: 0, ended: 7, on: .worker(2))
        run.add("c", after: [a, b], ready: 7, readyBecause: .dependency, readyBy: b, started: 9, ended: 12)
        run.add("d", started: 12, ended: 21)
        let record = run.finish(at: 21)
        #expect(record.boundPath() == BoundPath(operations: [1, 2], length: 10))
    }

    @Test func `attempts and the delays between them are on the path, and in the sums`() {
        let run = SampleRun()
        let number = run.add("flaky", started: 0, ended: nil)
        run.retry(number, at: 4, startedAgainAt: 9)
        run.recorder.ended(number, .succeeded, at: 12, learned: 12)
        let record = run.finish(at: 12)
        let path = record.criticalPath()
        #expect(path.running == 7 && path.waiting == [.delay: 5] && path.total == 12)
        #expect(record.boundPath().length == 7)
        let profile = RunProfile(record)
        #expect(profile.works.first?.total == 7 && profile.works.first?.count == 1)
        #expect(profile.runners.first?.busy == 7 && profile.runners.first?.count == 1)
        #expect(profile.longestTimes == [7])
        #expect(profile.waiting.map(\.cause) == [.delay] && profile.waiting.map(\.total) == [5])
        #expect(Load(record).steps.map(\.running) == [1, 0, 1, 0])
    }

    @Test func `an operation that ends between two attempts ran only once`() {
        let run = SampleRun()
        let number = run.add("flaky", started: 0, ended: nil)
        run.recorder.retrying(number, at: 4, learned: 4)
        run.recorder.ended(number, .cancelled, at: 10, learned: 10)
        let record = run.finish(at: 10)
        let path = record.criticalPath()
        #expect(path.running == 4 && path.waiting == [.delay: 6] && path.total == 10)
        #expect(record.boundPath().length == 4)
        let profile = RunProfile(record)
        #expect(profile.busy == 4 && profile.runners.first?.count == 1)
        #expect(profile.waiting.map(\.cause) == [.delay] && profile.waiting.map(\.total) == [6])
    }

    @Test func `another attempt may wait for a slot that another operation has`() {
        let run = SampleRun()
        let flaky = run.add("flaky", queue: ("q", 1), started: 0, ended: nil)
        run.recorder.retrying(flaky, at: 2, learned: 2)
        let other = run.add("other", queue: ("q", 1), started: 2, ended: 7, on: .worker(2))
        run.recorder.started(
            flaky,
            on: .worker(1),
            because: .slot,
            by: other,
            at: 7,
            learned: 7
        )
        run.recorder.ended(flaky, .succeeded, at: 9, learned: 9)
        let path = run.finish(at: 9).criticalPath()
        #expect(path.operations == [1, 0] && path.running == 7 && path.total == 9)
    }

    @Test func `a width that leaves a core idle is advised against`() {
        let run = SampleRun(workers: 2)
        let first = run.add("one", work: "resize", queue: ("images", 1), started: 0, ended: 1_000_000_000)
        run.add(
            "two",
            work: "resize",
            queue: ("images", 1),
            ready: 0,
            started: 1_000_000_000,
            startBecause: .slot,
            startedBy: first,
            ended: 2_000_000_000
        )
        let profile = RunProfile(run.finish(at: 2_000_000_000))
        #expect(
            profile.advice
                == "'resize' waited 1 s for a slot of queue 'images' (width 1), while a core was idle"
        )
        #expect(profile.works.map(\.name) == ["resize"])
        #expect(profile.waiting == [RunProfile.Waiting(cause: .slot, count: 1, total: 1_000_000_000)])
        #expect(profile.busy == 2_000_000_000)
    }
}
