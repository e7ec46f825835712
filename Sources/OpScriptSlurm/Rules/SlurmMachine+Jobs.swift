internal import OpScript

/// Bodies that are jobs of their own.
extension SlurmMachine {
    /// Operations that were submitted as one job array.
    ///
    /// A class, since a batch of a thousand is changed at one place at a time.
    final class Batch {
        let kind: JobKind
        /// By place in the array; nil once it has ended.
        private(set) var calls: [UInt64?]
        /// How many have not ended.
        private(set) var openCount: Int
        /// Slurm's number of the array; nil until it is known.
        var job: String?
        var submittedAt = 0.0
        /// The known facts about each place.
        var facts: [Fact]
        /// Places that are to be ended as soon as the number is known.
        var doomed: Set<Int> = []

        init(kind: JobKind, calls: [UInt64?], submittedAt: Double = 0) {
            self.kind = kind
            self.calls = calls
            openCount = calls.count { $0 != nil }
            facts = Array(repeating: Fact(), count: calls.count)
            self.submittedAt = submittedAt
        }

        /// Sets the body at a place; nil if it has ended.
        func set(_ number: UInt64?, at index: Int) {
            openCount += (number == nil ? 0 : 1) - (calls[index] == nil ? 0 : 1)
            calls[index] = number
        }

        struct Fact {
            /// How often Slurm has begun it again.
            var restarts = 0
            /// Whether a node has begun with it.
            var hasBegun = false
            /// The final state, and when it was first seen.
            var end: (state: String, at: Double)?
            /// How often the list said, one time after the other, that it can never start.
            var impossible = 0
            /// The number of the last list that had it, and how often it was missing since then.
            var listed = 0
            var missing = 0
            /// Where it was said to be: state, node and reason.
            var place = (state: "", node: "", reason: "")
            /// Whether it will not begin again by itself, so that the result of an earlier attempt counts.
            var isHeldByFailure = false
            /// Whether its result has come, and is being read.
            var isReading = false

            /// Whether a line says nothing new about a job that has not ended and may start.
            func isAsBefore(_ entry: JobListing) -> Bool {
                end == nil && impossible == 0 && restarts == entry.restarts
                    && hasBegun == (place.state == "RUNNING")
                    && place == (entry.state, entry.node, entry.reason)
            }
        }
    }

    /// Submits the bodies of one kind that have gathered, if Slurm may be asked now.
    mutating func submitIfDue(at now: Double) {
        guard let gatheredAt, submission == nil, now >= gatheredAt, now >= nextRequest, !isClosed else {
            return
        }
        // The most urgent first, then the oldest.
        guard
            let kind = waiting.keys.min(by: { left, right in
                if left.priority != right.priority { return left.priority > right.priority }
                return (waiting[left]?.first ?? 0) < (waiting[right]?.first ?? 0)
            }), let all = waiting[kind]
        else {
            self.gatheredAt = nil
            return
        }
        let numbers = Array(all.prefix(settings.mostTogether))
        let rest = Array(all.dropFirst(numbers.count))
        waiting[kind] = rest.isEmpty ? nil : rest
        if waiting.isEmpty { self.gatheredAt = nil }
        lastBatch += 1
        let batch = lastBatch
        batches[batch] = Batch(kind: kind, calls: numbers, submittedAt: now)
        for (index, number) in numbers.enumerated() {
            calls[number]?.state = .submitted(batch: batch, index: index)
        }
        submission = batch
        nextRequest = now + 1 / kind.options.submitRate
        actions.append(.submit(batch: batch, numbers, kind.words))
        for number in numbers { actions.append(.report(number, place: .waiting("being submitted"))) }
    }

    /// Slurm has taken a batch.
    mutating func batchTaken(_ batch: Int, job: String, at now: Double) {
        submission = nil
        backoff = 0
        identified(batch, job, at: now)
        submitIfDue(at: now)
    }

    /// The number of a batch is known, by the answer or from the list.
    private mutating func identified(_ batch: Int, _ job: String, at now: Double) {
        guard batches[batch]?.job == nil else { return }
        batches[batch]?.job = job
        batches[batch]?.submittedAt = now
        for number in batches[batch]?.calls ?? [] {
            if let number { actions.append(.report(number, place: .waiting("pending"))) }
        }
        for index in (batches[batch]?.doomed ?? []).sorted() { doomed.append("\(job)_\(index)") }
        batches[batch]?.doomed = []
        if batches[batch]?.openCount == 0 { batches[batch] = nil }
        endDoomed(at: now)
    }

    /// Slurm has not taken a batch.
    mutating func batchRefused(_ batch: Int, _ refusal: SlurmRefusal, at now: Double) {
        submission = nil
        switch refusal.kind {
        case .final:
            for number in batches.removeValue(forKey: batch)?.calls ?? [] {
                guard let number, let name = calls[number]?.call.name else { continue }
                end(number, .failed(.failed, "Slurm does not take '\(name)': \(refusal.text)"))
            }
        case .busy:
            pause(at: now)
            let numbers = batches.removeValue(forKey: batch)?.calls ?? []
            for number in numbers.reversed() {
                guard let number else { continue }
                actions.append(.report(number, place: .waiting("pending (\(refusal.text))")))
                if calls[number]?.isCancelled == true {
                    end(number, .cancelled)
                } else {
                    place(number, at: now, first: true)
                }
            }
        case .doubtful:
            // It may have been taken: the list says so, by its comment.
            pause(at: now)
            batches[batch]?.submittedAt = now
            for number in batches[batch]?.calls ?? [] {
                if let number {
                    actions.append(.report(number, place: .waiting("pending (\(refusal.text))")))
                }
            }
        }
        submitIfDue(at: now)
    }

    private mutating func pause(at now: Double) {
        backoff = min(60, max(1, backoff * 2))
        nextRequest = max(nextRequest, now + backoff)
    }

    /// Whether Slurm may begin the jobs of a batch again by itself.
    func repeats(_ batch: Int) -> Bool { batches[batch]?.kind.mayRepeat ?? false }

    // MARK: States

    mutating func lookIfDue(at now: Double) {
        if hasJobs, now >= nextLook {
            nextLook = now + settings.looking
            actions.append(.lookForResults)
        }
        if hasJobs || hasSilentPilots, !isAsking, now >= nextQuestion {
            isAsking = true
            lastQuestion = now
            nextQuestion = now + settings.asking
            actions.append(.askForStates)
        }
    }

    /// The look at the folder of results took so long.
    mutating func looked(taking time: Double, at now: Double) {
        nextLook = max(nextLook, now + min(5, 20 * time))
    }

    /// Slurm's list has come; nil if it could not be had.
    mutating func statesCame(_ list: [JobListing]?, at now: Double) {
        isAsking = false
        nextQuestion = max(nextQuestion, now + settings.asking / 2)
        guard let list else {
            // Like the pauses between submissions: less and less often.
            nextQuestion = max(nextQuestion, now + min(60, settings.asking * Double(1 << min(silences, 6))))
            silences += 1
            return
        }
        silences = 0
        lastList = now
        listCount += 1
        for entry in list {
            if let pilot = entry.pilot { noteSilence(of: pilot, entry, at: now) }
            guard let number = entry.batch, let batch = batches[number] else { continue }
            identified(number, entry.job, at: now)
            switch entry.indices {
            case .one(let index): note(entry, number, batch, index, at: now)
            case .several(let places): for index in places { note(entry, number, batch, index, at: now) }
            }
        }
        for number in batches.keys.sorted() {
            guard let batch = batches[number] else { continue }
            if batch.openCount == 0, submission != number, now - batch.submittedAt > settings.asking * 3 {
                // Slurm has not taken it.
                batches[number] = nil
                continue
            }
            for index in batch.calls.indices where batch.facts[index].listed != listCount {
                if let call = batch.calls[index] { missed(call, number, index, at: now) }
            }
        }
    }

    private mutating func note(
        _ entry: JobListing,
        _ number: Int,
        _ batch: Batch,
        _ index: Int,
        at now: Double
    ) {
        guard batch.calls.indices.contains(index), let call = batch.calls[index] else { return }
        batch.facts[index].listed = listCount
        batch.facts[index].missing = 0
        // Most lines say the same as in the list before.
        if batch.facts[index].isAsBefore(entry) { return }
        batch.facts[index].restarts = entry.restarts
        batch.facts[index].isHeldByFailure = entry.isHeldByFailure
        if entry.isHeldByFailure { warnOfHeld(entry, index, call) }
        if entry.state == "RUNNING" || entry.restarts > 0 { batch.facts[index].hasBegun = true }
        if entry.isOver {
            let end = batch.facts[index].end ?? (entry.state, now)
            batch.facts[index].end = end
            return judge(call, number, index, end, batch.facts[index], at: now)
        }
        batch.facts[index].end = nil
        let place = (entry.state, entry.node, entry.reason)
        if batch.facts[index].place != place {
            batch.facts[index].place = place
            actions.append(.report(call, place: entry.place))
        }
        batch.facts[index].impossible = entry.isImpossible ? batch.facts[index].impossible + 1 : 0
        guard batch.facts[index].impossible == 2, let name = calls[call]?.call.name else { return }
        let text = "'\(name)': Slurm can never start the job \(entry.job)_\(index) as it is: \(entry.reason)"
        doom(number, index)
        settle(call, number, index) { $0.end(call, .failed(.failed, text)) }
    }

    /// Slurm will not begin a job again by itself.
    private mutating func warnOfHeld(_ entry: JobListing, _ index: Int, _ call: UInt64) {
        guard !hasWarnedOfHeld, let name = calls[call]?.call.name else { return }
        hasWarnedOfHeld = true
        let job = "\(entry.job)_\(index)"
        actions.append(
            .warn(
                "Slurm holds the job \(job) of '\(name)' (\(entry.reason)), and perhaps others: "
                    + "'scontrol release \(job)' lets it begin again"
            )
        )
    }

    /// Ends bodies that were cancelled if Slurm does not answer: their jobs are ended when it does.
    mutating func leaveIfDue(at now: Double) {
        while let first = leaving.first {
            if case .submitted = calls[first.number]?.state {
                if now < max(first.at, lastList) + settings.farewell { return }
            }
            let number = leaving.removeFirst().number
            guard case .submitted(let batch, let index) = calls[number]?.state else { continue }
            settle(number, batch, index) { $0.end(number, .cancelled) }
        }
    }

    /// A job is over, and its result has not come.
    private mutating func judge(
        _ number: UInt64,
        _ batch: Int,
        _ index: Int,
        _ end: (state: String, at: Double),
        _ fact: Batch.Fact,
        at now: Double
    ) {
        guard !fact.isReading, let placed = calls[number] else { return }
        let job = "the job \(batches[batch]?.job ?? "?")_\(index)"
        let name = placed.call.name
        // A body that was cancelled, and a job that never began, have no result to wait for.
        if placed.isCancelled { return settle(number, batch, index) { $0.end(number, .cancelled) } }
        let isLate = now - end.at >= settings.visibility
        switch end.state {
        case "CANCELLED":
            guard isLate || now - end.at >= settings.asking * 2 else { return }
            settle(number, batch, index) {
                $0.endUncertain(
                    number,
                    .failed(.failed, "'\(name)': \(job) was cancelled, and not by this run")
                )
            }
        case "TIMEOUT", "DEADLINE":
            settle(number, batch, index) {
                $0.endUncertain(
                    number,
                    .failed(.timeout, "'\(name)': \(job) was ended by Slurm at its time limit")
                )
            }
        case "OUT_OF_MEMORY":
            settle(number, batch, index) {
                $0.endUncertain(
                    number,
                    .failed(.limit, "'\(name)': \(job) used more memory than it had asked for")
                )
            }
        case "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "REVOKED":
            let reason = end.state == "PREEMPTED" ? "\(job) was preempted" : "the node of \(job) was lost"
            settle(number, batch, index) { $0.lost(number, hasBegun: true, reason, at: now) }
        case "COMPLETED":
            guard isLate else { return }
            let limit = Int(settings.visibility)
            let text = "its result has not become visible in the shared folder within \(limit) s"
            settle(number, batch, index) {
                $0.endUncertain(number, .withoutResult("'\(name)': \(job): \(text)"))
            }
        default:
            // A worker that has left its result succeeds, whatever the result is. So this one has died, and its result
            // has at most been renamed a moment ago.
            guard now - end.at >= settings.asking / 2 else { return }
            let reason = "\(job) ended without a result (\(end.state))"
            settle(number, batch, index) { $0.lost(number, hasBegun: true, reason, at: now) }
        }
    }

    /// A job of the run is not in the list: Slurm has forgotten it, or has not heard of it.
    private mutating func missed(_ number: UInt64, _ batch: Int, _ index: Int, at now: Double) {
        guard let own = batches[batch], submission != batch, now - own.submittedAt > settings.asking * 2
        else { return }
        own.facts[index].missing += 1
        let fact = own.facts[index]
        guard fact.missing >= 3, !fact.isReading else { return }
        let reason = "Slurm does not know its job \(own.job.map { "\($0)_\(index)" } ?? "any more")"
        // A job that is not in the list may have begun all the same.
        let hasBegun = fact.hasBegun || calls[number]?.call.mayRepeat == false
        settle(number, batch, index) { $0.lost(number, hasBegun: hasBegun, reason, at: now) }
    }

    /// A place of a batch is over.
    private mutating func settle(
        _ number: UInt64,
        _ batch: Int,
        _ index: Int,
        _ then: (inout SlurmMachine) -> Void
    ) {
        batches[batch]?.set(nil, at: index)
        // One that may have jobs to end stays until their number is known.
        if batches[batch]?.openCount == 0, batches[batch]?.doomed.isEmpty != false { batches[batch] = nil }
        then(&self)
    }

    // MARK: Results

    /// Results are in the shared folder.
    mutating func resultsSeen(_ names: [ResultName]) {
        for name in names {
            guard let batch = batches[name.batch], batch.calls.indices.contains(name.index),
                let number = batch.calls[name.index]
            else { continue }
            // A result of an attempt that Slurm has given up counts no more.
            let fact = batch.facts[name.index]
            guard name.restarts >= fact.restarts || fact.isHeldByFailure, !fact.isReading else { continue }
            if fact.isHeldByFailure {
                // The latest of several counts.
                let isOld = names.contains {
                    $0.batch == name.batch && $0.index == name.index && $0.restarts > name.restarts
                }
                if isOld { continue }
                doom(name.batch, name.index)
            }
            batch.facts[name.index].isReading = true
            batch.facts[name.index].hasBegun = true
            actions.append(.readResult(number, name))
        }
    }

    /// A result was read, and its body ended by it.
    mutating func resultRead(_ number: UInt64) {
        guard let placed = calls.removeValue(forKey: number),
            case .submitted(let batch, let index) = placed.state
        else { return }
        settle(number, batch, index) { _ in }
    }

    // MARK: Ending jobs

    /// Ends the job of a body.
    mutating func doom(_ batch: Int, _ index: Int) {
        guard let job = batches[batch]?.job else {
            batches[batch]?.doomed.insert(index)
            return
        }
        doomed.append("\(job)_\(index)")
    }

    mutating func endDoomed(at now: Double) {
        guard !doomed.isEmpty, now >= nextEnding else { return }
        for start in stride(from: 0, to: doomed.count, by: 200) {
            actions.append(.endJobs(Array(doomed[start..<min(start + 200, doomed.count)])))
        }
        doomed = []
    }

    /// Slurm could not be asked to end jobs: it is asked again.
    mutating func endingFailed(_ jobs: [String], at now: Double) {
        doomed += jobs
        nextEnding = now + max(settings.asking * 5, backoff)
    }
}
