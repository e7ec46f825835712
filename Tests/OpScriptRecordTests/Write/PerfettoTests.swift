import Testing

@testable import OpScriptRecord

/// The trace for Perfetto, read by a small decoder of our own and checked by the rules of the format.
@Suite struct PerfettoTests {
    /// A field of a message: its number, and its value or its bytes.
    private struct Field {
        var number: UInt64
        var value: UInt64 = 0
        var bytes: ArraySlice<UInt8> = []
    }

    private static func fields(_ bytes: ArraySlice<UInt8>) throws -> [Field] {
        struct Broken: Error {}
        var rest = bytes
        func varint() throws -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while let byte = rest.popFirst() {
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            throw Broken()
        }
        var result: [Field] = []
        while !rest.isEmpty {
            let key = try varint()
            switch key & 7 {
            case 0: result.append(Field(number: key >> 3, value: try varint()))
            case 1:
                guard rest.count >= 8 else { throw Broken() }
                let value = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                result.append(Field(number: key >> 3, value: value))
                rest = rest.dropFirst(8)
            case 2:
                let count = Int(try varint())
                guard rest.count >= count else { throw Broken() }
                result.append(Field(number: key >> 3, bytes: rest.prefix(count)))
                rest = rest.dropFirst(count)
            default: throw Broken()
            }
        }
        return result
    }

    /// Checks a trace by the rules of its format.
    private func check(_ record: RunRecord) throws -> (slices: Int, flows: Int, tracks: Set<String>) {
        var hasEvents = false
        var open: [UInt64: Int] = [:]
        var ends: [UInt64: Int] = [:]
        var begins: [UInt64: Int] = [:]
        var names: Set<String> = []
        var known: Set<UInt64> = []
        var interned: Set<UInt64> = []
        var last: UInt64 = 0
        var slices = 0
        for packet in try Self.fields(record.bytes(.perfetto)[...]) {
            #expect(packet.number == 1)
            let fields = try Self.fields(packet.bytes)
            let moment = fields.first { $0.number == 8 }?.value
            for field in fields where field.number == 60 {
                #expect(!hasEvents, "descriptors come first")
                let track = try Self.fields(field.bytes)
                known.formUnion(track.filter { $0.number == 1 }.map(\.value))
                for thread in track where thread.number == 4 {
                    for name in try Self.fields(thread.bytes) where name.number == 5 {
                        names.insert(String(decoding: name.bytes, as: UTF8.self))
                    }
                }
                for name in track where name.number == 2 {
                    names.insert(String(decoding: name.bytes, as: UTF8.self))
                }
            }
            for field in fields where field.number == 12 {
                for name in try Self.fields(field.bytes) where name.number == 2 {
                    interned.formUnion(try Self.fields(name.bytes).filter { $0.number == 1 }.map(\.value))
                }
            }
            for field in fields where field.number == 11 {
                hasEvents = true
                let moment = try #require(moment)
                #expect(moment >= last, "events are in the order of time")
                last = moment
                let event = try Self.fields(field.bytes)
                let track = try #require(event.first { $0.number == 11 }?.value)
                #expect(known.contains(track))
                let type = try #require(event.first { $0.number == 9 }?.value)
                switch type {
                case 1:
                    open[track, default: 0] += 1
                    #expect(open[track] == 1, "the slices of a track do not overlap")
                    slices += 1
                    let name = try #require(event.first { $0.number == 10 }?.value)
                    #expect(interned.contains(name))
                case 2:
                    open[track, default: 0] -= 1
                    #expect(open[track] == 0, "a slice ends once")
                default: #expect(type == 4)
                }
                for flow in event where flow.number == 47 { begins[flow.value, default: 0] += 1 }
                for flow in event where flow.number == 48 { ends[flow.value, default: 0] += 1 }
            }
        }
        #expect(open.values.allSatisfy { $0 == 0 }, "every slice ends")
        #expect(begins == ends && begins.values.allSatisfy { $0 == 1 }, "every flow has both ends, once")
        return (slices, begins.count, names)
    }

    @Test func `slices nest and end, flows have both ends, and descriptors come first`() throws {
        let run = SampleRun()
        let a = run.add("a", queue: ("q", 2), started: 0, ended: 10)
        let b = run.add("b", queue: ("q", 2), started: 0, ended: 10, on: .worker(2))
        run.add("c", after: [a, b], ready: 10, readyBecause: .dependency, readyBy: b, started: 10, ended: 10)
        run.add("d", after: [a], ready: 10, readyBecause: .dependency, readyBy: a, started: 10, ended: 20)
        run.add("lua 1", started: 5, ended: 30, on: .scriptThread)
        run.add("lua 2", started: 6, ended: 20, on: .scriptThread)
        run.add("unfinished", started: 25, ended: nil, on: .elsewhere)
        run.add("not started", started: nil, ended: nil)
        let (slices, flows, tracks) = try check(run.finish(at: 40))
        // Two of them on the tracks of their queue as well.
        #expect(slices == 9 && flows == 3)
        #expect(
            tracks == [
                "worker 1", "worker 2", "script thread 1", "script thread 2", "elsewhere", "running", "ready",
                "queue 'q' (width 2) 1", "queue 'q' (width 2) 2", "queue 'q' (width 2): executing",
            ]
        )
    }

    @Test func `each attempt is a slice, and an arrow leads to the first one`() throws {
        let run = SampleRun()
        let a = run.add("a", started: 0, ended: 2)
        let b = run.add("b", queue: ("q", nil), after: [a], started: 3, ended: nil)
        run.retry(b, at: 5, startedAgainAt: 8)
        run.recorder.ended(b, .succeeded, at: 9, learned: 9)
        run.add("c", after: [b], started: 9, ended: 10)
        let (slices, flows, tracks) = try check(run.finish(at: 10))
        #expect(slices == 6 && flows == 2)
        #expect(tracks.contains("queue 'q'") && tracks.contains("worker 1"))
    }

    @Test func `random runs keep the rules`() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = Generator(state: seed)
            let run = SampleRun()
            var ends: [Int64] = []
            for number in 0..<200 {
                let after = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
                    number == 0 ? nil : UInt32.random(in: 0..<UInt32(number), using: &random)
                }
                let ready = after.map { ends[Int($0)] }.max() ?? 0
                let started = ready + Int64.random(in: 0...3, using: &random)
                let ended = started + Int64.random(in: 0...5, using: &random)
                ends.append(ended)
                let runners: [RecordedRunner] = [.worker(1), .worker(2), .scriptThread, .elsewhere, .none]
                run.add(
                    "n\(number % 7)",
                    queue: number % 3 == 0 ? nil : ("q\(number % 3)", 2),
                    after: Array(Set(after)),
                    ready: ready,
                    started: started,
                    ended: ended,
                    on: runners.randomElement(using: &random) ?? .none
                )
            }
            #expect(try check(run.finish(at: 2000)).slices == 333)
        }
    }

    /// Splitmix64.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            return word ^ word >> 31
        }
    }
}
