import Testing

@testable import OpScriptRecord

/// The memory of a record, and a record's data about an operation.
@Suite struct RunRecorderTests {
    @Test func `an operation takes at most a hundred bytes`() {
        #expect(MemoryLayout<OperationRow>.stride <= 100)
        #expect(MemoryLayout<DependencyRow>.stride <= 8)
        #expect(MemoryLayout<RunFact>.stride <= 16)
    }

    @Test func `a record keeps all facts`() {
        let run = SampleRun()
        let fetch = run.add("fetch", work: "http.get", started: 5, ended: 20)
        run.add(
            "resize",
            queue: ("images", 2),
            after: [fetch],
            ready: 20,
            readyBecause: .dependency,
            readyBy: fetch,
            started: 25,
            ended: 40,
            on: .scriptThread
        )
        let record = run.finish(at: 50)
        let operation = record.operations[1]
        #expect(record.operations.count == 2)
        #expect(operation.name == "resize" && operation.work == nil && operation.place == "job.lua:1")
        #expect(operation.queue.map { record.queues[$0] } == RecordedQueue(name: "images", width: 2))
        #expect(operation.dependencies == [RecordedDependency(operation: 0, condition: .notFailed)])
        #expect(operation.readiness == RecordedRelease(cause: .dependency, operation: 0))
        #expect([operation.added, operation.ready, operation.started, operation.ended] == [0, 20, 25, 40])
        #expect(operation.runner == .scriptThread && operation.outcome == .succeeded)
        #expect(operation.identity == 101 && operation.attempts == 1 && operation.duration == 15)
        #expect(record.operations[0].work == "http.get")
        #expect(record.duration == 50)
    }

    @Test func `dependencies keep their order`() {
        let run = SampleRun()
        let numbers = (0..<5).map { run.add("n\($0)", started: 0, ended: 1) }
        let last = run.add("last", after: numbers.reversed(), started: 2, ended: 3)
        let record = run.finish(at: 3)
        #expect(record.operations[Int(last)].dependencies.map(\.operation) == [4, 3, 2, 1, 0])
    }

    @Test func `a slot that is used again belongs to the later operation`() {
        let recorder = RunRecorder(sinks: [])
        recorder.begin(RunHeader(name: "x", isVirtual: true, seed: nil, workers: 1), at: 0)
        recorder.made(slot: 3, identity: 1, place: RunRecorder.nothing, at: 0)
        recorder.made(slot: 3, identity: 2, place: RunRecorder.nothing, at: 0)
        #expect(recorder.number(slot: 3, identity: 1) == RunRecorder.nothing)
        #expect(recorder.number(slot: 3, identity: 2) == 1)
        #expect(recorder.number(slot: 9, identity: 2) == RunRecorder.nothing)
    }

    @Test func `the next run begins empty`() {
        let run = SampleRun()
        run.add("one", started: 0, ended: 1)
        let first = run.finish(at: 1)
        run.recorder.begin(RunHeader(name: "again", isVirtual: true, seed: nil, workers: 1), at: 5)
        let second = run.recorder.finish(.finished, at: 9)
        #expect(first.operations.count == 1)
        #expect(second.operations.isEmpty && second.duration == 4 && second.name == "again")
    }

    /// Receives everything.
    private final class Receiver: RunSink, @unchecked Sendable {
        // @unchecked because a test calls the recorder on one thread.
        var lines: [String] = []

        func runBegan(_ run: RunHeader) { lines.append("began \(run.name)") }
        func received(_ facts: RunFacts) {
            lines += facts.facts.map { "\($0.kind) \(facts.name(of: $0.number)) \($0.moment)" }
        }
        func operationFailed(_ failure: RecordedFailure) { lines.append("failure \(failure.message)") }
        func runEnded(_ record: RunRecord) { lines.append("ended \(record.operations.count)") }
    }

    @Test func `sinks receive facts in order, with the names of their time`() {
        let receiver = Receiver()
        let recorder = RunRecorder(sinks: [receiver])
        recorder.begin(RunHeader(name: "x", isVirtual: true, seed: nil, workers: 1), at: 10)
        recorder.made(slot: 0, identity: 1, place: RunRecorder.nothing, at: 10)
        let nothing = RunRecorder.nothing
        let name = recorder.name("before")
        recorder.added(0, name: name, work: nothing, queue: nothing, because: .script, by: nothing, at: 11)
        recorder.renamed(0, to: recorder.name("after"))
        recorder.cancelled(0, at: 12)
        _ = recorder.finish(.finished, at: 20)
        #expect(receiver.lines == ["began x", "added before 1", "cancelled after 2", "ended 1"])
    }
}
