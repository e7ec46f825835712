/// Writes a record as one page: style, script and data are inside, nothing is loaded.
///
/// All texts of the run are data for the script, which shows them as text and never as markup.
struct PageWriter {
    private let record: RunRecord
    private let output: ByteOutput
    private let lanes: TimelineLanes

    init(_ record: RunRecord, _ output: ByteOutput) {
        self.record = record
        self.output = output
        lanes = TimelineLanes(record)
    }

    func write() throws {
        output.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        output.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        // The page can load nothing, even if its data contain markup.
        output.append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
        output.append("style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>")
        output.append(html: record.name)
        output.append(" – run</title>\n<style>\n")
        output.append(text: PageText.style)
        output.append("</style>\n</head>\n<body>\n")
        output.append(text: PageText.summary)
        output.append(text: PageText.timeline)
        output.append(text: PageText.rest)
        output.append("<script type=\"application/json\" id=\"data\">\n")
        try writeData()
        output.append("\n</script>\n<script>\n")
        output.append(text: PageText.tools)
        output.append(text: PageText.recordScript)
        output.append(text: PageText.timelineScript)
        output.append(text: PageText.graphScript)
        output.append("</script>\n</body>\n</html>\n")
    }

    // MARK: Data

    private func writeData() throws {
        let path = record.criticalPath()
        output.append("{\"run\":{\"name\":")
        output.append(json: record.name)
        output.append(text: ",\"virtual\":\(record.isVirtual),\"workers\":\(record.workers)")
        if let seed = record.seed { output.append(text: ",\"seed\":\"\(seed)\"") }
        output.append(text: ",\"duration\":\(record.duration),\"early\":\(record.end.isEarly),\"end\":")
        output.append(json: record.end.text)
        output.append("},\n")
        writeProfile(RunProfile(record), path)
        output.append(",\n\"names\":")
        output.append(list: record.storage.names) { output.append(json: $0) }
        output.append(",\n\"places\":")
        output.append(list: record.storage.places) { output.append(json: $0) }
        output.append(",\n\"queues\":")
        output.append(list: record.queues) { queue in
            output.append("{\"name\":")
            output.append(json: queue.name)
            if let width = queue.width { output.append(text: ",\"width\":\(width)") }
            output.append("}")
        }
        output.append(",\n\"lanes\":")
        output.append(list: lanes.lanes) { output.append(json: $0.name) }
        output.append(",\n\"causes\":")
        output.append(list: ReleaseCause.allCases) { output.append(json: $0.text) }
        try writeColumns()
        try writeEarlierAttempts()
        writeGraph(FoldedGraph(record, path))
        output.append("}")
    }

    private func writeProfile(_ profile: RunProfile, _ path: CriticalPath) {
        let bound = record.boundPath()
        output.append("\"profile\":{\"outcomes\":[")
        for outcome in [RecordedOutcome.succeeded, .failed, .cancelled, .skipped] {
            output.append(text: "\(profile.outcomes[outcome] ?? 0),")
        }
        output.append(
            text: "\(profile.unfinished)],\"bound\":\(bound.length),\"pathRunning\":\(path.running)"
        )
        if let advice = profile.advice {
            output.append(",\"advice\":")
            output.append(json: advice)
        }
        output.append(",\"works\":")
        output.append(list: profile.works) { work in
            output.append("{\"name\":")
            output.append(json: work.name)
            output.append(text: ",\"count\":\(work.count),\"failed\":\(work.failed),\"total\":\(work.total)")
            output.append(text: ",\"mean\":\(work.mean),\"longest\":\(work.longest)")
            if work.peakMemory > 0 {
                output.append(text: ",\"processors\":\(work.processors),\"memory\":\(work.peakMemory)")
            }
            output.append("}")
        }
        output.append(",\"waiting\":")
        output.append(list: profile.waiting) { waiting in
            let onPath = path.waiting[waiting.cause] ?? 0
            output.append(text: "{\"cause\":\"\(waiting.cause.text)\",\"count\":\(waiting.count)")
            output.append(text: ",\"total\":\(waiting.total),\"onPath\":\(onPath)}")
        }
        output.append(",\"runners\":")
        output.append(list: profile.runners) { runner in
            output.append(
                text: "{\"name\":\"\(runner.runner.text)\",\"count\":\(runner.count),\"busy\":\(runner.busy)}"
            )
        }
        output.append("},\n\"path\":")
        output.append(list: path.pieces) { piece in
            var cause = -1
            if case .waiting(let waiting) = piece.kind { cause = Int(waiting.rawValue) }
            output.append(text: "[\(cause),\(piece.operation ?? -1),\(piece.from),\(piece.to)]")
        }
        output.append(",\n\"failures\":")
        output.append(list: record.failures) { output.append(json: $0) }
    }

    /// The operations as columns of numbers: a missing value is -1.
    private func writeColumns() throws {
        func index(_ value: UInt32) -> Int64 { value == OperationRow.nothing ? -1 : Int64(value) }
        func moment(_ value: Int64) -> Int64 { value == OperationRow.never ? -1 : value - record.begin }
        let attempts = lanes.attempts
        func span(_ from: Int64, _ to: Int64) -> Int64 {
            from == OperationRow.never || to == OperationRow.never ? -1 : max(0, to - from)
        }
        output.append(text: ",\n\"count\":\(record.storage.rows.count)")
        try writeColumn("name") { row, _ in index(row.name == OperationRow.nothing ? row.work : row.name) }
        try writeColumn("group") { row, _ in index(row.work == OperationRow.nothing ? row.name : row.work) }
        try writeColumn("place") { row, _ in index(row.place) }
        try writeColumn("queue") { row, _ in index(row.queue) }
        try writeColumn("lane") { _, number in Int64(lanes.lane(of: number) ?? -1) }
        try writeColumn("outcome") { row, _ in row.outcome == .max ? -1 : Int64(row.outcome) }
        try writeColumn("attempts") { row, _ in Int64(row.attempts) }
        try writeColumn("added") { row, _ in moment(row.added) }
        // Differences are short numbers.
        try writeColumn("toReady") { row, _ in span(row.added, row.ready) }
        try writeColumn("toStart") { row, _ in span(row.ready, row.started) }
        try writeColumn("start") { _, number in attempts[number].map { moment($0.started) } ?? -1 }
        try writeColumn("length") { _, number in
            attempts[number].map { attempts.end(of: $0) - $0.started } ?? -1
        }
        try writeColumn("cause") { row, _ in
            row.startCause != .addition ? Int64(row.startCause.rawValue) : Int64(row.readyCause.rawValue)
        }
        try writeColumn("by") { row, _ in index(row.startCause != .addition ? row.startedBy : row.readyBy) }
    }

    /// The attempts that another one followed: operation, line, beginning and length of each.
    private func writeEarlierAttempts() throws {
        let attempts = lanes.attempts
        output.append(",\n\"earlier\":")
        output.append(list: record.storage.rows.count..<attempts.count) { index in
            guard let attempt = attempts[index] else { return }
            output.append(text: "[\(attempt.operation),\(lanes.lane(of: index) ?? -1),")
            output.append(text: "\(attempt.started - record.begin),\(attempt.ended - attempt.started)")
            if let failure = attempts.failure(index) {
                output.append(",")
                output.append(json: failure)
            }
            output.append("]")
        }
    }

    private func writeColumn(_ name: StaticString, _ value: (OperationRow, Int) -> Int64) throws {
        output.append(",\n\"")
        output.append(name)
        output.append("\":[")
        for number in 0..<record.storage.rows.count {
            if number > 0 { output.append(UInt8(ascii: ",")) }
            output.append(value(record.storage.rows.pointer(number).pointee, number))
            try output.flushIfLarge()
        }
        output.append("]")
    }

    private func writeGraph(_ graph: FoldedGraph) {
        output.append(",\n\"nodes\":")
        output.append(list: graph.nodes) { node in
            output.append("{\"name\":")
            output.append(json: node.name)
            output.append(text: ",\"count\":\(node.count),\"failed\":\(node.failed),\"other\":\(node.other)")
            output.append(text: ",\"total\":\(node.total),\"onPath\":\(node.isOnPath)}")
        }
        output.append(",\n\"edges\":")
        output.append(list: graph.edges) { edge, count in
            output.append(text: "[\(edge.from),\(edge.to),\(count)]")
        }
    }
}
