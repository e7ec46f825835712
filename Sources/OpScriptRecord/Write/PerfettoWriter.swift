/// Writes the native format of Perfetto: a message `Trace` with its packets.
///
/// Descriptors of tracks come first, then names, then events in the order of time. There are tracks for the
/// script thread, for each worker, for operations that run elsewhere, for groups and gates, and for each queue, as many
/// as overlap. Counters show how many operations run, are ready, and execute in each queue. A flow leads from
/// each dependency to its dependent.
struct PerfettoWriter {
    private typealias Field = PerfettoField

    /// Numbers of tracks.
    private enum Track {
        static let process: UInt64 = 1
        static let running: UInt64 = 2
        static let ready: UInt64 = 3
        static let firstQueue: UInt64 = 1 << 20
        static let firstRunner: UInt64 = 1 << 32
        static let firstQueueLine: UInt64 = 1 << 33
    }

    /// The most samples of each counter: a million operations do not need two million.
    private static let sampleLimit = 20_000

    private let record: RunRecord
    private let output: ByteOutput
    private let lanes: TimelineLanes
    private let queueLines: TimelineLanes

    init(_ record: RunRecord, _ output: ByteOutput) {
        self.record = record
        self.output = output
        lanes = TimelineLanes(record)
        queueLines = TimelineLanes(record, by: .queues)
    }

    func write() throws {
        writeDescriptors()
        try writeNames()
        try writeEvents()
    }

    // MARK: Tracks

    private func writeDescriptors() {
        packet { packet in
            packet.add(Field.trackDescriptor) { track in
                track.add(Field.trackUUID, Track.process)
                track.add(Field.trackProcess) { process in
                    process.add(Field.processID, 1)
                    process.add(Field.processName, "opscript \(record.name) (\(record.end.text))")
                }
            }
            packet.add(Field.sequence, 1)
            // From here on, names have numbers.
            packet.add(Field.sequenceFlags, 1)
        }
        for (place, lane) in lanes.lanes.enumerated() {
            writeTrack(Track.firstRunner + UInt64(place)) { track in
                track.add(Field.trackThread) { thread in
                    thread.add(Field.threadProcess, 1)
                    thread.add(Field.threadID, UInt64(place + 2))
                    thread.add(Field.threadName, lane.name)
                }
            }
        }
        for (place, line) in queueLines.lanes.enumerated() {
            writeTrack(Track.firstQueueLine + UInt64(place)) { $0.add(Field.trackName, line.name) }
        }
        writeCounter(Track.running, "running")
        writeCounter(Track.ready, "ready")
        for (place, queue) in record.queues.enumerated() {
            writeCounter(Track.firstQueue + UInt64(place), "\(queue.label): executing")
        }
    }

    private func writeCounter(_ uuid: UInt64, _ name: String) {
        writeTrack(uuid) { track in
            track.add(Field.trackName, name)
            track.add(Field.trackCounter) { _ in }
        }
    }

    private func writeTrack(_ uuid: UInt64, _ describe: (inout ProtobufMessage) -> Void) {
        packet { packet in
            packet.add(Field.trackDescriptor) { track in
                track.add(Field.trackUUID, uuid)
                track.add(Field.trackParent, Track.process)
                describe(&track)
            }
            packet.add(Field.sequence, 1)
        }
    }

    /// Each name once.
    private func writeNames() throws {
        for (place, name) in record.storage.names.enumerated() {
            packet { packet in
                packet.add(Field.internedData) { data in
                    data.add(Field.eventNames) { entry in
                        entry.add(Field.nameID, UInt64(place + 1))
                        entry.add(Field.nameText, name)
                    }
                }
                packet.add(Field.sequence, 1)
                packet.add(Field.sequenceFlags, 2)
            }
            try output.flushIfLarge()
        }
    }

    // MARK: Events

    /// An event to write, in the order of time; ends come before beginnings.
    private struct Mark {
        var moment: Int64
        /// The index of the attempt, twice; odd for a beginning.
        var key: UInt32
    }

    private func writeEvents() throws {
        let attempts = lanes.attempts
        let flows = Flows(record, lanes)
        var marks: [Mark] = []
        marks.reserveCapacity(2 * attempts.count)
        for index in 0..<attempts.count {
            guard let attempt = attempts[index],
                lanes.lane(of: index) != nil || queueLines.lane(of: index) != nil
            else { continue }
            marks.append(Mark(moment: attempt.started, key: UInt32(index) << 1 | 1))
            marks.append(Mark(moment: attempts.end(of: attempt), key: UInt32(index) << 1))
        }
        marks.sort { one, other in
            if one.moment != other.moment { return one.moment < other.moment }
            return order(one) < order(other)
        }
        var counters = CounterSamples(record, limit: Self.sampleLimit)
        var event = ProtobufMessage()
        for mark in marks {
            for sample in counters.take(until: mark.moment) { write(sample) }
            let index = Int(mark.key >> 1)
            let isBegin = mark.key & 1 == 1
            if let lane = lanes.lane(of: index) {
                start(&event, index, isBegin, on: Track.firstRunner + UInt64(lane))
                if isBegin {
                    for flow in flows.reaching(index) { event.add(Field.eventFlowEnd, fixed: UInt64(flow)) }
                } else {
                    for flow in flows.leaving(index) { event.add(Field.eventFlow, fixed: UInt64(flow)) }
                }
                write(event, at: mark.moment)
            }
            if let line = queueLines.lane(of: index) {
                start(&event, index, isBegin, on: Track.firstQueueLine + UInt64(line))
                write(event, at: mark.moment)
            }
            try output.flushIfLarge()
        }
        for sample in counters.take(until: .max) { write(sample) }
    }

    /// The order of events at one moment: ends of attempts that took time, then beginnings and ends of those that took
    /// none, then the other beginnings.
    private func order(_ mark: Mark) -> (Int, UInt32, UInt32) {
        let index = mark.key >> 1
        let isBegin = mark.key & 1
        if let attempt = lanes.attempts[Int(index)], lanes.attempts.end(of: attempt) == attempt.started {
            return (1, index, 1 - isBegin)
        }
        return (isBegin == 1 ? 2 : 0, index, 0)
    }

    private func start(_ event: inout ProtobufMessage, _ index: Int, _ isBegin: Bool, on track: UInt64) {
        event.removeAll()
        event.add(Field.eventTrack, track)
        if isBegin { begin(&event, index) } else { event.add(Field.eventType, 2) }
    }

    private func begin(_ event: inout ProtobufMessage, _ index: Int) {
        let row = record.storage.rows.pointer(lanes.attempts.operation(index)).pointee
        event.add(Field.eventType, 1)
        let name = row.name == OperationRow.nothing ? row.work : row.name
        if name == OperationRow.nothing {
            event.add(Field.eventName, "operation")
        } else {
            event.add(Field.eventNameID, UInt64(name) + 1)
        }
        let isEarlier = index >= record.storage.rows.count
        if isEarlier || row.outcome != RecordedOutcome.succeeded.rawValue {
            let outcome =
                isEarlier
                ? "failed, and tried again" : RecordedOutcome(rawValue: row.outcome)?.text ?? "unfinished"
            event.add(Field.eventAnnotation) { annotation in
                annotation.add(Field.annotationName, "outcome")
                annotation.add(Field.annotationText, outcome)
            }
        }
    }

    private func write(_ sample: CounterSamples.Sample) {
        let track: UInt64 =
            switch sample.counter {
            case .running: Track.running
            case .ready: Track.ready
            case .queue(let index): Track.firstQueue + UInt64(index)
            }
        var event = ProtobufMessage()
        event.add(Field.eventTrack, track)
        event.add(Field.eventType, 4)
        event.add(Field.eventCounter, UInt64(max(0, sample.value)))
        write(event, at: sample.moment)
    }

    private func write(_ event: ProtobufMessage, at moment: Int64) {
        packet { packet in
            packet.add(Field.timestamp, UInt64(max(0, moment - record.begin)))
            packet.add(Field.trackEvent, event)
            packet.add(Field.sequence, 1)
            packet.add(Field.sequenceFlags, 2)
        }
    }

    private func packet(_ build: (inout ProtobufMessage) -> Void) {
        var trace = ProtobufMessage()
        trace.add(Field.packet, build)
        output.append(trace.bytes)
    }
}

/// The arrows of a timeline: one for each dependency whose two operations ran one after the other, from the last
/// attempt of the one to the first attempt of the other.
private struct Flows {
    /// For each attempt: where its arrows begin in the list.
    private var starts: [UInt32]
    /// Numbers of arrows, by the attempt that they leave.
    private var list: [UInt32]
    /// For each attempt: the numbers of its arrows from dependencies.
    private var reached: [Int: Range<UInt32>] = [:]

    init(_ record: RunRecord, _ lanes: TimelineLanes) {
        let attempts = lanes.attempts
        starts = Array(repeating: 0, count: attempts.count + 1)
        list = []
        guard record.storage.dependencies.count > 0 else { return }
        var origins: [UInt32] = []
        for number in 0..<record.storage.rows.count {
            let dependencies = record.storage.dependencies(of: number)
            guard !dependencies.isEmpty, let first = attempts.indices(of: number).first,
                lanes.lane(of: first) != nil, let started = attempts[first]?.started
            else { continue }
            let begin = UInt32(origins.count + 1)
            for dependency in dependencies {
                guard let last = attempts[dependency.operation], lanes.lane(of: dependency.operation) != nil,
                    last.ended != OperationRow.never, last.ended <= started
                else { continue }
                origins.append(UInt32(dependency.operation))
            }
            reached[first] = begin..<UInt32(origins.count + 1)
        }
        for origin in origins { starts[Int(origin) + 1] += 1 }
        for place in 1..<starts.count { starts[place] += starts[place - 1] }
        var next = starts
        list = Array(repeating: 0, count: origins.count)
        for (place, origin) in origins.enumerated() {
            list[Int(next[Int(origin)])] = UInt32(place + 1)
            next[Int(origin)] += 1
        }
    }

    /// The arrows to the dependents of an operation, from its last attempt.
    func leaving(_ index: Int) -> ArraySlice<UInt32> {
        list.isEmpty ? [] : list[Int(starts[index])..<Int(starts[index + 1])]
    }

    /// The arrows from the dependencies of an operation, to its first attempt.
    func reaching(_ index: Int) -> Range<UInt32> { reached[index] ?? 0..<0 }
}

/// The numbers of the fields that are written, as Perfetto's definitions have them.
enum PerfettoField {
    // Trace
    static let packet: UInt32 = 1
    // TracePacket
    static let timestamp: UInt32 = 8
    static let sequence: UInt32 = 10
    static let trackEvent: UInt32 = 11
    static let internedData: UInt32 = 12
    static let sequenceFlags: UInt32 = 13
    static let trackDescriptor: UInt32 = 60
    // TrackDescriptor
    static let trackUUID: UInt32 = 1
    static let trackName: UInt32 = 2
    static let trackProcess: UInt32 = 3
    static let trackThread: UInt32 = 4
    static let trackParent: UInt32 = 5
    static let trackCounter: UInt32 = 8
    // ProcessDescriptor, ThreadDescriptor
    static let processID: UInt32 = 1
    static let processName: UInt32 = 6
    static let threadProcess: UInt32 = 1
    static let threadID: UInt32 = 2
    static let threadName: UInt32 = 5
    // TrackEvent
    static let eventAnnotation: UInt32 = 4
    static let eventType: UInt32 = 9
    static let eventNameID: UInt32 = 10
    static let eventTrack: UInt32 = 11
    static let eventName: UInt32 = 23
    static let eventCounter: UInt32 = 30
    static let eventFlow: UInt32 = 47
    static let eventFlowEnd: UInt32 = 48
    // DebugAnnotation
    static let annotationText: UInt32 = 6
    static let annotationName: UInt32 = 10
    // InternedData, EventName
    static let eventNames: UInt32 = 2
    static let nameID: UInt32 = 1
    static let nameText: UInt32 = 2
}
