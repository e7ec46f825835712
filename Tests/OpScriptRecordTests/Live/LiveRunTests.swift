import Foundation
import Synchronization
import Testing

@testable import OpScriptRecord

/// The messages of a run to a live page.
@Suite struct LiveRunTests {
    /// Nanoseconds that the test moves.
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
        @Sendable func read() -> Int64 { now.load(ordering: .relaxed) }
        func move(to moment: Int64) { now.store(moment, ordering: .relaxed) }
    }

    private let clock = Clock()
    private let live: LiveRun
    private let run: SampleRun

    init() {
        live = LiveRun(keepsRecord: true, clock: clock.read)
        run = SampleRun(sinks: [live])
    }

    private func json(_ message: LiveMessage) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(message.bytes)) as? [String: Any])
    }

    private func counts(_ message: [String: Any]) -> [String: Int] {
        message["counts"] as? [String: Int] ?? [:]
    }

    private func settings(_ index: UInt32, suspended: Bool, width: Int? = 2) -> QueueSettings {
        QueueSettings(
            queue: Int(index),
            name: "images",
            width: width,
            isSuspended: suspended,
            canBeSuspended: true
        )
    }

    @Test func `operations are counted in the phase that they are in`() throws {
        let queue = run.recorder.queue(7) { RecordedQueue(name: "images", width: 2) }
        run.recorder.queueChanged(settings(queue, suspended: false))
        for slot in 0..<4 as Range<UInt32> {
            run.recorder.made(slot: slot, identity: UInt64(slot), place: RunRecorder.nothing, at: 0)
            run.recorder.added(
                slot,
                name: run.recorder.name("op \(slot)"),
                work: RunRecorder.nothing,
                queue: queue,
                because: .script,
                by: RunRecorder.nothing,
                at: 0
            )
        }
        for number in 1..<4 as Range<UInt32> {
            run.recorder.ready(number, because: .addition, by: RunRecorder.nothing, at: 1, learned: 1)
        }
        for number in 2..<4 as Range<UInt32> {
            run.recorder.started(
                number,
                on: .worker(Int(number)),
                because: .addition,
                by: RunRecorder.nothing,
                at: 2,
                learned: 2
            )
        }
        run.recorder.ended(3, .failed, at: 5, learned: 6)
        run.recorder.handOut()
        let message = try json(live.message(since: LiveCursor()))
        #expect(
            counts(message) == [
                "added": 4, "ready": 1, "running": 1, "succeeded": 0, "failed": 1, "cancelled": 0,
                "skipped": 0, "retrying": 0,
            ]
        )
        let shown = try #require((message["queues"] as? [[String: Any]])?.first)
        #expect(shown["name"] as? String == "images" && shown["width"] as? Int == 2)
        #expect(shown["length"] as? Int == 3 && shown["running"] as? Int == 1)
        #expect(shown["suspended"] as? Bool == false && shown["stoppable"] as? Bool == true)
        let running = try #require(message["running"] as? [[Any]])
        #expect(running.count == 1 && running[0][0] as? Int == 2 && running[0][4] as? String == "op 2")
        let workers = try #require(message["workers"] as? [[String: Any]])
        #expect(workers.count == 1 && workers[0]["name"] as? String == "worker 3")
        #expect(workers[0]["busy"] as? Int == 3)
    }

    @Test func `another attempt is neither a second start nor a second queue place`() throws {
        let number = run.add("again", queue: ("q", 1), started: 1, ended: nil)
        run.recorder.retrying(number, at: 2, learned: 2)
        run.recorder.handOut()
        let between = try json(live.message(since: LiveCursor()))
        #expect(counts(between)["running"] == 0 && counts(between)["retrying"] == 1)
        run.recorder.ready(number, because: .delay, by: RunRecorder.nothing, at: 3, learned: 3)
        run.recorder.started(
            number,
            on: .worker(1),
            because: .addition,
            by: RunRecorder.nothing,
            at: 4,
            learned: 4
        )
        run.recorder.handOut()
        #expect(counts(try json(live.message(since: LiveCursor())))["running"] == 1)
        // The spans of an interval are sent when it has passed.
        run.recorder.ended(number, .succeeded, at: 300_000_004, learned: 300_000_004)
        run.recorder.handOut()
        let message = try json(live.message(since: LiveCursor()))
        #expect(counts(message)["running"] == 0 && counts(message)["succeeded"] == 1)
        #expect(counts(message)["ready"] == 0 && counts(message)["retrying"] == 0)
        let spans = try #require(message["spans"] as? [[Any]])
        #expect(spans.map { $0[3] as? Int } == [1, 4] && spans.map { $0[4] as? Int } == [1, 300_000_000])
        let outcomes = [RecordedOutcome.failed, .succeeded].map { Int($0.rawValue) }
        #expect(spans.map { $0[5] as? Int } == outcomes)
    }

    @Test func `an operation on a cluster runs while it is on a node`() throws {
        let number = run.add("far", queue: ("q", nil), started: 1, ended: nil, on: .cluster)
        func phases() throws -> [Int?] {
            run.recorder.handOut()
            let message = try json(live.message(since: LiveCursor()))
            let running = try #require(message["running"] as? [[Any]])
            return [counts(message)["ready"], counts(message)["running"], running.count]
        }
        #expect(try phases() == [1, 0, 0])
        run.recorder.moved(number, to: .node("n1"), at: 5, learned: 5)
        #expect(try phases() == [0, 1, 1])
        run.recorder.moved(number, to: .cluster, at: 7, learned: 7)
        #expect(try phases() == [1, 0, 0])
        run.recorder.moved(number, to: .node("n2"), at: 9, learned: 9)
        #expect(try phases() == [0, 1, 1])
        run.recorder.ran(number, on: .node("n2"), since: 8)
        run.recorder.ended(number, .succeeded, at: 300_000_008, learned: 300_000_008)
        #expect(try phases() == [0, 0, 0])
        let message = try json(live.message(since: LiveCursor()))
        let spans = try #require(message["spans"] as? [[Any]])
        #expect(spans.count == 1 && spans[0][3] as? Int == 8 && spans[0][4] as? Int == 300_000_000)
    }

    @Test func `a body that came to its node unseen is in the timeline, and one that waited in vain is not`()
        throws
    {
        let unseen = run.add("unseen", queue: ("q", nil), started: 1, ended: nil, on: .cluster)
        let cancelled = run.add("cancelled", queue: ("q", nil), started: 1, ended: nil, on: .cluster)
        run.recorder.ran(unseen, on: .node("n1"), since: 2)
        run.recorder.ended(unseen, .succeeded, at: 300_000_002, learned: 300_000_002)
        run.recorder.ended(cancelled, .cancelled, at: 300_000_002, learned: 300_000_002)
        run.recorder.handOut()
        let message = try json(live.message(since: LiveCursor()))
        #expect(counts(message)["ready"] == 0 && counts(message)["cancelled"] == 1)
        let spans = try #require(message["spans"] as? [[Any]])
        #expect(spans.count == 1 && spans[0].last as? String == "unseen")
        let profile = RunProfile(run.finish(at: 300_000_002))
        #expect(profile.runners.map(\.runner) == [.node("n1")])
        #expect(profile.waiting.first { $0.cause == .node }?.total == 300_000_002)
        #expect(profile.works.reduce(0) { $0 + $1.total } == 300_000_000)
    }

    @Test func `a message has what is new since the one before`() throws {
        run.add("first", started: 0, ended: 10)
        run.fail(0, "bad <b>", traceback: "here")
        run.recorder.handOut()
        _ = live.message(since: LiveCursor())
        run.add("second", started: 200_000_000, ended: 300_000_000)
        run.recorder.handOut()
        let first = live.message(since: LiveCursor())
        #expect((try json(first)["spans"] as? [[Any]])?.count == 2)
        #expect(try json(first)["whole"] as? Bool == true)
        run.add("third", started: 400_000_000, ended: 600_000_000)
        run.recorder.handOut()
        let second = try json(live.message(since: first.cursor))
        #expect(second["whole"] as? Bool == false)
        let spans = try #require(second["spans"] as? [[Any]])
        #expect(spans.count == 1 && spans[0].last as? String == "third")
        #expect(spans[0][3] as? Int == 400_000_000 && spans[0][4] as? Int == 200_000_000)
        #expect((second["failures"] as? [Any])?.isEmpty == true)
        #expect(LiveCursor(first.cursor.text) == first.cursor)
    }

    @Test(arguments: ["", "x", "1.2", "1.2.x", "-1.0.0", "9.9.9"])
    func `a page may send back any text`(_ text: String) throws {
        run.add("one", started: 0, ended: 300_000_000)
        run.recorder.handOut()
        let message = try json(live.message(since: LiveCursor(text)))
        #expect(message["whole"] as? Bool == true && (message["spans"] as? [Any])?.count == 1)
    }

    @Test func `queues follow their settings`() throws {
        let queue = run.recorder.queue(7) { RecordedQueue(name: "images", width: 2) }
        run.recorder.queueChanged(settings(queue, suspended: false))
        run.recorder.queueChanged(settings(queue, suspended: true, width: nil))
        let shown = try #require(
            (try json(live.message(since: LiveCursor()))["queues"] as? [[String: Any]])?.first
        )
        #expect(shown["suspended"] as? Bool == true && shown["width"] == nil)
    }

    @Test func `the end is the last message, with the record`() throws {
        run.add("one", started: 0, ended: 10)
        #expect(live.record == nil && !live.hasEnded)
        let record = run.finish(at: 20, .cancelled)
        let message = live.message(since: LiveCursor())
        let shown = try #require(try json(message)["run"] as? [String: Any])
        #expect(message.isLast && live.hasEnded)
        #expect(shown["early"] as? Bool == true && shown["duration"] as? Int == 20)
        #expect(live.record?.operations.count == record.operations.count)
    }

    @Test func `on the system's clock, time advances though nothing happens`() throws {
        let live = LiveRun(clock: clock.read)
        clock.move(to: 100)
        live.runBegan(RunHeader(name: "x", isVirtual: false, seed: nil, workers: 1))
        clock.move(to: 2100)
        let shown = try #require(try json(live.message(since: LiveCursor()))["run"] as? [String: Any])
        #expect(shown["duration"] as? Int == 2000)
    }

    @Test func `names are data in a message`() throws {
        let name = "</script>\n\"\u{2028}&"
        run.add(name, started: 0, ended: nil)
        run.recorder.handOut()
        let message = live.message(since: LiveCursor())
        let text = String(decoding: message.bytes, as: UTF8.self)
        #expect(!text.contains("\n") && !text.contains("<") && !text.contains("\u{2028}"))
        #expect((try json(message)["running"] as? [[Any]])?.first?.last as? String == name)
    }

    @Test func `a million short operations keep a message small and its sums right`() throws {
        let recorder = run.recorder
        let name = recorder.name("short")
        let count = 1_000_000
        for number in 0..<UInt32(count) {
            let moment = Int64(number) * 10_000
            recorder.made(slot: number % 64, identity: UInt64(number), place: RunRecorder.nothing, at: moment)
            recorder.added(
                number,
                name: name,
                work: RunRecorder.nothing,
                queue: RunRecorder.nothing,
                because: .script,
                by: RunRecorder.nothing,
                at: moment
            )
            recorder.started(
                number,
                on: .worker(1),
                because: .addition,
                by: RunRecorder.nothing,
                at: moment,
                learned: moment
            )
            // Every thousandth is long.
            let end = moment + (number % 1000 == 0 ? 9_000 : 5)
            recorder.ended(number, .succeeded, at: end, learned: end)
        }
        _ = run.finish(at: Int64(count) * 10_000)
        let message = live.message(since: LiveCursor())
        #expect(message.bytes.count < 2 << 20)
        let shown = try json(message)
        #expect(counts(shown)["succeeded"] == count && counts(shown)["running"] == 0)
        #expect((99_000...101_000).contains(shown["rate"] as? Int ?? 0))
        let works = try #require(shown["works"] as? [[String: Any]])
        #expect(works.count == 1 && works[0]["count"] as? Int == count)
        #expect(works[0]["total"] as? Int == 1000 * 9_000 + (count - 1000) * 5)
        // The long ones are there: each interval keeps its longest.
        let spans = try #require(shown["spans"] as? [[Any]])
        let long = spans.count { $0[4] as? Int == 9_000 }
        let all = spans.count
        #expect(long == 1000 && all <= LiveSpans.most)
    }

    @Test func `the past is thinned, and what is new comes once`() {
        var spans = LiveSpans()
        var load = LiveLoad()
        var cursor = 0
        var received = 0
        for interval in 0..<400 {
            for number in 0..<100 as Range<UInt32> {
                let length = Int64(number == 0 ? 1000 + interval : 1)
                guard spans.takes(length) else { continue }
                spans.add(
                    LiveSpans.Span(
                        number: UInt32(interval) * 100 + number,
                        runner: 1,
                        outcome: .succeeded,
                        queue: 0,
                        start: Int64(interval) * 1000,
                        length: length,
                        name: "x"
                    )
                )
            }
            spans.close()
            let new = spans.since(cursor)
            received += new.count
            #expect(new.map(\.sequence) == Array((cursor + 1)...(cursor + new.count)))
            cursor = spans.newest
            for place in 0..<20 as Range<Int64> {
                load.append(
                    LiveLoad.Sample(moment: Int64(interval) * 20 + place, running: 1, ready: 0, finished: 0)
                )
            }
        }
        #expect(received == 40_000)
        let kept = spans.since(0)
        let (long, all) = (kept.count { $0.length >= 1000 }, kept.count)
        #expect(long == 400 && all <= LiveSpans.most)
        #expect(load.since(0).count <= LiveLoad.most && load.since(0).first?.moment == 0)
        #expect(load.since(load.newest - 3).count == 3)
    }

    @Test func `no more works are distinguished than a page can use`() throws {
        for number in 0..<5000 { run.add("name \(number)", started: Int64(number), ended: Int64(number) + 1) }
        run.recorder.handOut()
        let works = try #require(try json(live.message(since: LiveCursor()))["works"] as? [[String: Any]])
        #expect(works.count == LiveSnapshot.mostWorks)
        #expect(works[0]["name"] as? String == "(others)" && works[0]["count"] as? Int == 5000 - 4095)
    }
}
