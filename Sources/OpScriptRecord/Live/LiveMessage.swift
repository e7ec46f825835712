/// A message to a live page, taken from the state of the run.
struct LiveSnapshot {
    static let mostQueues = 100
    static let mostRunning = 100
    static let mostWorks = 50

    var header: RunHeader
    /// Nanoseconds since the beginning of the run.
    var moment: Int64
    var counts: LiveState.Counts
    var ended: LiveState.End?
    /// Whether it begins anew: what the page has is to be forgotten.
    var isWhole = true
    /// Operations that finish in a second.
    var rate = 0.0
    /// How many queues there are; `queues` has the longest.
    var queueCount = 0
    var queues: [LiveState.Queue] = []
    var workers: [LiveState.Runner] = []
    var elsewhere = LiveState.Runner()
    /// Those that have executed longest.
    var running: [LiveState.Running] = []
    var works: [LiveState.Work] = []
    /// The new facts.
    var spans: ArraySlice<LiveSpans.Span> = []
    var load: ArraySlice<LiveLoad.Sample> = []
    var failures: [RecordedFailure] = []
    var cursor = LiveCursor()

    init(header: RunHeader, moment: Int64, counts: LiveState.Counts, ended: LiveState.End?) {
        self.header = header
        self.moment = moment
        self.counts = counts
        self.ended = ended
    }
}

/// A message to a live page.
package struct LiveMessage: Sendable {
    /// One line of JSON.
    package let bytes: [UInt8]
    /// The end of this message; the next one begins after it.
    package let cursor: LiveCursor
    /// Whether the run has ended: no message follows that says anything else.
    package let isLast: Bool

    init(_ snapshot: LiveSnapshot) {
        let output = ByteOutput { _ in }
        Self.write(snapshot, output)
        bytes = output.bytes
        cursor = snapshot.cursor
        isLast = snapshot.ended != nil
    }

    private static func write(_ snapshot: LiveSnapshot, _ output: ByteOutput) {
        let header = snapshot.header
        output.append("{\"whole\":")
        output.append(text: "\(snapshot.isWhole),\"run\":{\"name\":")
        output.append(json: header.name)
        output.append(text: ",\"virtual\":\(header.isVirtual),\"workers\":\(header.workers)")
        if let seed = header.seed { output.append(text: ",\"seed\":\"\(seed)\"") }
        output.append(text: ",\"duration\":\(snapshot.moment)")
        if let ended = snapshot.ended {
            output.append(text: ",\"early\":\(ended.isEarly),\"report\":\(ended.hasReport),\"end\":")
            output.append(json: ended.text)
        }
        let counts = snapshot.counts
        output.append(text: "},\"counts\":{\"added\":\(counts.added),\"ready\":\(counts.ready)")
        output.append(
            text:
                ",\"running\":\(counts.running),\"retrying\":\(counts.retrying),\"succeeded\":\(counts.succeeded)"
        )
        output.append(text: ",\"failed\":\(counts.failed),\"cancelled\":\(counts.cancelled)")
        output.append(text: ",\"skipped\":\(counts.skipped)},\"rate\":\(Int(snapshot.rate.rounded()))")
        writeQueues(snapshot, output)
        writeWorkers(snapshot, output)
        writeRunning(snapshot, output)
        writeNews(snapshot, output)
        output.append("}")
    }

    private static func writeQueues(_ snapshot: LiveSnapshot, _ output: ByteOutput) {
        output.append(text: ",\"queueCount\":\(snapshot.queueCount),\"queues\":")
        output.append(list: snapshot.queues) { queue in
            let settings = queue.settings
            output.append(text: "{\"queue\":\(settings.queue),\"name\":")
            output.append(json: settings.name)
            if let width = settings.width { output.append(text: ",\"width\":\(width)") }
            output.append(text: ",\"length\":\(queue.length),\"running\":\(queue.running)")
            output.append(
                text: ",\"suspended\":\(settings.isSuspended),\"stoppable\":\(settings.canBeSuspended)}"
            )
        }
    }

    private static func writeWorkers(_ snapshot: LiveSnapshot, _ output: ByteOutput) {
        var runners: [(RecordedRunner, LiveState.Runner)] = []
        for (number, runner) in snapshot.workers.enumerated() where runner.count > 0 {
            runners.append((number == 0 ? .scriptThread : .worker(number), runner))
        }
        if snapshot.elsewhere.count > 0 { runners.append((.elsewhere, snapshot.elsewhere)) }
        output.append(",\"workers\":")
        output.append(list: runners) { runner, sums in
            output.append(text: "{\"name\":\"\(runner.text)\",\"count\":\(sums.count),\"busy\":\(sums.busy)}")
        }
        output.append(",\"works\":")
        output.append(list: snapshot.works) { work in
            output.append("{\"name\":")
            output.append(json: work.name)
            output.append(text: ",\"count\":\(work.count),\"failed\":\(work.failed),\"total\":\(work.total)")
            output.append(text: ",\"longest\":\(work.longest)}")
        }
    }

    private static func writeRunning(_ snapshot: LiveSnapshot, _ output: ByteOutput) {
        output.append(",\"running\":")
        output.append(list: snapshot.running) { running in
            output.append(text: "[\(running.number),\(index(running.queue)),\"")
            output.append(text: RecordedRunner(code: running.runner).text)
            output.append(text: "\",\(running.start),")
            output.append(json: running.name)
            output.append("]")
        }
    }

    private static func writeNews(_ snapshot: LiveSnapshot, _ output: ByteOutput) {
        output.append(",\"spans\":")
        output.append(list: snapshot.spans) { span in
            output.append(text: "[\(span.number),\(index(span.queue)),\"")
            output.append(text: RecordedRunner(code: span.runner).text)
            output.append(text: "\",\(span.start),\(span.length),\(span.outcome.rawValue),")
            output.append(json: span.name)
            if let work = span.work, work != span.name {
                output.append(",")
                output.append(json: work)
            }
            output.append("]")
        }
        output.append(",\"load\":")
        output.append(list: snapshot.load) { sample in
            output.append(text: "[\(sample.moment),\(sample.running),\(sample.ready),\(sample.finished)]")
        }
        output.append(",\"failures\":")
        output.append(list: snapshot.failures) { output.append(json: $0) }
    }

    private static func index(_ value: UInt32) -> Int { value == OperationRow.nothing ? -1 : Int(value) }
}
