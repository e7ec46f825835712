@testable import OpScriptRecord

/// A record that is built by hand.
struct SampleRun {
    let recorder: RunRecorder

    init(workers: Int = 2, sinks: [any RunSink] = []) {
        recorder = RunRecorder(sinks: sinks)
        recorder.begin(RunHeader(name: "job.lua", isVirtual: true, seed: 7, workers: workers), at: 0)
    }

    /// An operation with all its moments.
    @discardableResult
    func add(
        _ name: String,
        work: String? = nil,
        queue: (name: String, width: Int?)? = nil,
        after: [UInt32] = [],
        added: Int64 = 0,
        ready: Int64? = nil,
        readyBecause: ReleaseCause = .addition,
        readyBy: UInt32 = RunRecorder.nothing,
        started: Int64?,
        startBecause: ReleaseCause = .addition,
        startedBy: UInt32 = RunRecorder.nothing,
        ended: Int64?,
        on runner: RecordedRunner = .worker(1),
        outcome: RecordedOutcome = .succeeded,
        addedBy: UInt32 = RunRecorder.nothing
    ) -> UInt32 {
        let number = UInt32(recorder.count)
        let place = recorder.place(1) { "job.lua:1" }
        recorder.made(slot: number, identity: UInt64(number) + 100, place: place, at: added)
        for other in after { recorder.dependency(of: number, on: other, .notFailed) }
        let queueIndex = queue.map { queue in
            recorder.queue(UInt64(queue.name.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xffff)) {
                RecordedQueue(name: queue.name, width: queue.width)
            }
        }
        recorder.added(
            number,
            name: recorder.name(name),
            work: work.map { recorder.name($0) } ?? RunRecorder.nothing,
            queue: queueIndex ?? RunRecorder.nothing,
            because: .script,
            by: addedBy,
            at: added
        )
        if let ready = ready ?? started {
            recorder.ready(number, because: readyBecause, by: readyBy, at: ready, learned: ready)
        }
        if let started {
            recorder.started(
                number,
                on: runner,
                because: startBecause,
                by: startedBy,
                at: started,
                learned: started
            )
        }
        if let ended { recorder.ended(number, outcome, at: ended, learned: ended) }
        return number
    }

    /// Another attempt of an operation that has begun.
    func retry(_ number: UInt32, at ended: Int64, startedAgainAt started: Int64) {
        recorder.retrying(number, at: ended, learned: ended)
        recorder.started(
            number,
            on: .worker(1),
            because: .addition,
            by: RunRecorder.nothing,
            at: started,
            learned: started
        )
    }

    func fail(_ number: UInt32, _ message: String, traceback: String? = nil) {
        recorder.failed(
            RecordedFailure(
                operation: Int(number),
                name: "failing",
                place: "job.lua:1",
                message: message,
                traceback: traceback,
                moment: 1
            )
        )
    }

    func finish(at moment: Int64, _ end: RunEnd = .finished) -> RunRecord { recorder.finish(end, at: moment) }
}

extension RunRecord {
    /// The bytes of a format.
    func bytes(_ format: RecordFormat) throws -> [UInt8] {
        final class Sum {
            var bytes: [UInt8] = []
        }
        let sum = Sum()
        try write(format) { sum.bytes += $0 }
        return sum.bytes
    }

    /// The same as text.
    func text(_ format: RecordFormat) throws -> String { String(decoding: try bytes(format), as: UTF8.self) }
}
