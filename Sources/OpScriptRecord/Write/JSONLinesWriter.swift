/// Writes a line of JSON for the run, and one for each operation.
///
/// Schema 1: keys are never removed and never change their meaning; new keys may be added. Moments and
/// durations are whole nanoseconds since the beginning of the run; a moment that did not come is left out.
struct JSONLinesWriter {
    private let record: RunRecord
    private let attempts: RecordedAttempts
    private let output: ByteOutput

    init(_ record: RunRecord, _ output: ByteOutput) {
        self.record = record
        attempts = RecordedAttempts(record)
        self.output = output
    }

    func write() throws {
        writeRun()
        var failures: [Int: RecordedFailure] = [:]
        for failure in record.failures { if let number = failure.operation { failures[number] = failure } }
        for number in 0..<record.operations.count {
            write(record.operations[number], failures[number])
            try output.flushIfLarge()
        }
    }

    private func writeRun() {
        let profile = RunProfile(record)
        output.append("{\"type\":\"run\",\"schema\":1,\"name\":")
        output.append(json: record.name)
        output.append(",\"virtual\":")
        output.append(text: "\(record.isVirtual)")
        if let seed = record.seed { output.append(text: ",\"seed\":\"\(seed)\"") }
        output.append(text: ",\"workers\":\(record.workers),\"duration\":\(record.duration)")
        output.append(text: ",\"end\":\"\(record.end.word)\",\"complete\":\(!record.end.isEarly)")
        if record.end.isEarly {
            output.append(",\"note\":")
            output.append(json: record.end.text)
        }
        output.append(text: ",\"operations\":\(record.operations.count)")
        for outcome in [RecordedOutcome.succeeded, .failed, .cancelled, .skipped] {
            output.append(text: ",\"\(outcome.text)\":\(profile.outcomes[outcome] ?? 0)")
        }
        output.append(text: ",\"steps\":\(profile.steps),\"unfinished\":\(profile.unfinished)")
        output.append(text: ",\"criticalPath\":\(record.criticalPath().running)")
        output.append(text: ",\"bound\":\(record.boundPath().length)")
        output.append(",\"queues\":[")
        for (place, queue) in record.queues.enumerated() {
            if place > 0 { output.append(",") }
            output.append("{\"name\":")
            output.append(json: queue.name)
            if let width = queue.width { output.append(text: ",\"width\":\(width)") }
            output.append("}")
        }
        output.append("]}\n")
    }

    private func write(_ operation: RecordedOperation, _ failure: RecordedFailure?) {
        output.append("{\"type\":\"operation\",\"number\":")
        output.append(Int64(operation.number))
        write("identity", Int64(bitPattern: operation.identity))
        write("name", operation.name)
        if let work = operation.work { write("work", work) }
        if !operation.place.isEmpty { write("place", operation.place) }
        if let queue = operation.queue { write("queue", record.queues[queue].name) }
        if operation.isStep { output.append(",\"step\":true") }
        if !operation.dependencies.isEmpty {
            output.append(",\"dependencies\":[")
            for (place, dependency) in operation.dependencies.enumerated() {
                if place > 0 { output.append(",") }
                output.append("{\"on\":")
                output.append(Int64(dependency.operation))
                output.append(text: ",\"when\":\"\(dependency.condition.text)\"}")
            }
            output.append("]")
        }
        output.append(",\"attempts\":")
        output.append(Int64(operation.attempts))
        writeEarlierAttempts(of: operation.number)
        write("made", operation.made)
        write("added", operation.added)
        write("ready", operation.ready)
        if operation.submitted != nil { write("submitted", operation.submitted) }
        write("started", operation.started)
        write("ended", operation.ended)
        write("delivered", operation.delivered)
        if operation.runner != .none { write("runner", operation.runner.text) }
        if let outcome = operation.outcome { write("outcome", outcome.text) }
        if operation.added != nil { write("addition", operation.addition) }
        if operation.ready != nil { write("readiness", operation.readiness) }
        if operation.started != nil, operation.start.cause != .addition { write("start", operation.start) }
        if let usage = record.usages[operation.number] {
            output.append(text: ",\"usage\":{\"wall\":\(usage.wall),\"user\":\(usage.user)")
            output.append(text: ",\"system\":\(usage.system),\"peakMemory\":\(usage.peakMemory)}")
        }
        if let failure {
            write("error", failure.message)
            if let traceback = failure.traceback { write("traceback", traceback) }
        }
        output.append("}\n")
    }

    private func writeEarlierAttempts(of number: Int) {
        let earlier = attempts.indices(of: number).filter { $0 >= record.storage.rows.count }
        if earlier.isEmpty { return }
        output.append(",\"earlierAttempts\":")
        output.append(list: earlier) { index in
            guard let attempt = attempts[index] else { return }
            output.append("{\"started\":")
            output.append(attempt.started - record.begin)
            output.append(text: ",\"ended\":\(attempt.ended - record.begin)")
            output.append(text: ",\"runner\":\"\(RecordedRunner(code: attempt.runner).text)\"")
            if let failure = attempts.failure(index) { write("error", failure) }
            output.append("}")
        }
    }

    private func write(_ key: StaticString, _ text: String) {
        begin(key)
        output.append(json: text)
    }

    private func write(_ key: StaticString, _ moment: Int64?) {
        guard let moment else { return }
        begin(key)
        output.append(moment)
    }

    private func write(_ key: StaticString, _ release: RecordedRelease) {
        begin(key)
        output.append("{\"cause\":\"")
        output.append(text: release.cause.text)
        output.append("\"")
        if let operation = release.operation {
            output.append(",\"by\":")
            output.append(Int64(operation))
        }
        output.append("}")
    }

    private func begin(_ key: StaticString) {
        output.append(",\"")
        output.append(key)
        output.append("\":")
    }
}
