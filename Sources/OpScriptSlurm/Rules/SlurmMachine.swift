internal import OpScript

/// The rules by which bodies get to the nodes: when jobs are submitted and asked about, which pilot takes which body,
/// and what became of each.
///
/// It has no thread, no clock and no processes. Its inputs are facts, with the time; it answers with actions, which
/// ``SlurmThread`` performs. Times are seconds of a clock that never goes back.
struct SlurmMachine {
    /// A body, as the rules see it.
    struct Call: Sendable {
        /// The number of the ``RemoteCall``.
        let number: UInt64
        /// The operation's name, for errors.
        var name: String
        var options: ClusterOptions
        /// From -8 to 8.
        var priority = 0
        /// Seconds that the body may execute.
        var timeLimit: Double?
        /// Whether it may run again if it is not known what became of it.
        var mayRepeat = true
    }

    /// Something that has to be done now.
    enum Action: Equatable {
        /// Write the tasks of a batch for its nodes, then ask Slurm to take it.
        case submit(batch: Int, [UInt64], [String])
        /// Ask for the states of all jobs of the run.
        case askForStates
        /// Look which results have come.
        case lookForResults
        /// End jobs, by their numbers.
        case endJobs([String])
        /// Read the result of a body; ``SlurmMachine/resultRead(_:)`` follows.
        case readResult(UInt64, ResultName)
        case startPilot(Int, ClusterOptions)
        case give(UInt64, pilot: Int)
        case stop(UInt64, pilot: Int)
        /// Closes its input: it ends after what it has.
        case closePilot(Int)
        /// Ends its process.
        case endPilot(Int)
        case report(UInt64, place: ClusterPlace)
        case end(UInt64, Ending)
        /// A person has to know this.
        case warn(String)
    }

    /// How a body ended, if it has no result.
    enum Ending: Equatable {
        case cancelled
        /// Its job stays on the cluster.
        case left
        case failed(ScriptError.Code, String)
        /// Its job has left nothing but its output, whose end belongs to the error.
        case withoutResult(String)

        /// The error with which its operation ends.
        ///
        /// - Parameter output: The end of what its job has written, if that is known.
        func error(output: String = "") -> any Error {
            switch self {
            case .cancelled, .left: CancellationError()
            case .failed(let code, let text): ScriptError(code, text)
            case .withoutResult(let text):
                ScriptError(.failed, output.isEmpty ? text : "\(text):\n\(output)")
            }
        }
    }

    /// The times and numbers that tests change.
    struct Settings: Sendable {
        /// Operations that become ready within this time are submitted together.
        var gathering = 0.05
        /// Between two questions for the states of jobs.
        var asking = 1.0
        /// Between two looks at the folder of results.
        var looking = 0.1
        /// How long after the end of a job its result may become visible.
        var visibility = 30.0
        /// The most elements of an array; Slurm's own limit is 1001 unless a site changes it.
        var mostTogether = 1000
        /// How often a body is begun again because its node was lost.
        var mostLosses = 3
        /// A cancelled body ends after so many seconds, if Slurm does not answer meanwhile.
        var farewell = 10.0
    }

    let settings: Settings
    var calls: [UInt64: Placed] = [:]
    /// Jobs, one for each body.
    var batches: [Int: Batch] = [:]
    var lastBatch = 0
    /// Bodies that wait to be submitted, by what they have in common.
    var waiting: [JobKind: [UInt64]] = [:]
    /// When the present gathering is over; nil if nothing gathers.
    var gatheredAt: Double?
    /// The batch that Slurm is asked to take.
    var submission: Int?
    /// Before this moment no further request is made.
    var nextRequest = 0.0
    /// The pause after a refusal that may be over later; doubled by each.
    var backoff = 0.0
    var isAsking = false
    /// How many lists have come.
    var listCount = 0
    var nextQuestion = 0.0
    /// When the last question was asked.
    var lastQuestion = 0.0
    /// How many questions in a row had no answer.
    var silences = 0
    /// When the last list came.
    var lastList = 0.0
    /// The bodies of jobs that were cancelled, and when, in that order.
    var leaving: ArraySlice<(number: UInt64, at: Double)> = []
    /// Whether a person knows of jobs that Slurm holds.
    var hasWarnedOfHeld = false
    var nextLook = 0.0
    /// Jobs that are to be ended, by number.
    var doomed: [String] = []
    /// Before this moment no job is ended: it was tried just before, in vain.
    var nextEnding = 0.0
    var pools: [ClusterOptions: PilotPool] = [:]
    /// The keys of `pools`, in the order in which they came.
    var poolOrder: [ClusterOptions] = []
    var pilots: [Int: Pilot] = [:]
    var lastPilot = 0
    var actions: [Action] = []
    var isClosed = false

    /// A body and where it is.
    ///
    /// A class, since it is changed often and its call is large.
    final class Placed {
        let call: Call
        var state: State
        var isCancelled = false
        /// How often its node, or its job, was lost.
        var losses = 0

        init(_ call: Call, _ state: State = .waiting) {
            self.call = call
            self.state = state
        }

        enum State: Equatable {
            case waiting
            case submitted(batch: Int, index: Int)
            case onPilot(Int)
        }
    }

    init(_ settings: Settings = Settings()) { self.settings = settings }

    /// The actions that have gathered, in order.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Facts

    /// A body is to run.
    mutating func called(_ call: Call, at now: Double) {
        calls[call.number] = Placed(call)
        if isClosed { return end(call.number, .cancelled) }
        place(call.number, at: now)
    }

    /// A body is to run that an earlier run has submitted.
    mutating func found(_ call: Call, at place: BatchPlace, of count: Int, _ now: Double) {
        calls[call.number] = Placed(call, .submitted(batch: place.batch, index: place.index))
        if isClosed { return end(call.number, .left) }
        let batch =
            batches[place.batch] ?? Batch(kind: JobKind(call), calls: Array(repeating: nil, count: count))
        batch.submittedAt = now
        batch.set(call.number, at: place.index)
        // Whether it has begun is not known, so it counts as begun.
        batch.facts[place.index].hasBegun = true
        batches[place.batch] = batch
        lastBatch = max(lastBatch, place.batch)
    }

    /// The run ends here, and its jobs stay on the cluster.
    mutating func detached(at now: Double) {
        guard !isClosed else { return }
        isClosed = true
        for number in calls.keys.sorted() {
            switch calls[number]?.state {
            case .submitted: end(number, .left)
            case .waiting: end(number, .cancelled)
            case .onPilot, nil: cancelPiloted(number)
            }
        }
        waiting = [:]
        gatheredAt = nil
        batches = [:]
        pools = [:]
        poolOrder = []
        for pilot in pilots.keys.sorted() { close(pilot) }
    }

    private mutating func cancelPiloted(_ number: UInt64) {
        guard case .onPilot(let pilot) = calls[number]?.state else { return }
        calls[number]?.isCancelled = true
        actions.append(.stop(number, pilot: pilot))
    }

    /// Nothing needs the result any more.
    mutating func cancelled(_ number: UInt64, at now: Double) {
        guard let placed = calls[number], !placed.isCancelled else { return }
        placed.isCancelled = true
        switch placed.state {
        case .waiting:
            forget(waiting: number, placed.call)
            end(number, .cancelled)
        case .submitted(let batch, let index):
            doom(batch, index)
            leaving.append((number, now))
            // Whether Slurm answers decides how long to wait.
            if silences > 0 { nextQuestion = min(nextQuestion, max(now, lastQuestion + settings.asking)) }
        case .onPilot(let pilot): actions.append(.stop(number, pilot: pilot))
        }
    }

    /// The run is over: everything that is left ends.
    mutating func closed(at now: Double) {
        guard !isClosed else { return }
        isClosed = true
        for number in calls.keys.sorted() { cancelled(number, at: now) }
        for pilot in pilots.keys.sorted() { close(pilot) }
        passed(to: now)
    }

    /// Time has passed.
    mutating func passed(to now: Double) {
        submitIfDue(at: now)
        lookIfDue(at: now)
        endDoomed(at: now)
        leaveIfDue(at: now)
        pilotsPassed(to: now)
    }

    /// When time matters next; nil if it does not.
    var nextMoment: Double? {
        var moment = nextMomentOfPilots ?? .infinity
        if let gatheredAt, submission == nil { moment = min(moment, max(gatheredAt, nextRequest)) }
        if hasJobs { moment = min(moment, nextLook) }
        if hasJobs || hasSilentPilots, !isAsking { moment = min(moment, nextQuestion) }
        if !doomed.isEmpty { moment = min(moment, nextEnding) }
        if let first = leaving.first { moment = min(moment, max(first.at, lastList) + settings.farewell) }
        return moment == .infinity ? nil : moment
    }

    /// Whether Slurm has, or may have, jobs that are awaited.
    var hasJobs: Bool { !batches.isEmpty }

    // MARK: Both grains

    /// Has a body submitted, or given to a pilot.
    mutating func place(_ number: UInt64, at now: Double, first: Bool = false) {
        guard let call = calls[number]?.call else { return }
        calls[number]?.state = .waiting
        if call.options.pilots != nil {
            enqueue(number, call, first: first)
        } else {
            let kind = JobKind(call)
            if first {
                waiting[kind, default: []].insert(number, at: 0)
            } else {
                waiting[kind, default: []].append(number)
            }
            if gatheredAt == nil { gatheredAt = now + settings.gathering }
        }
    }

    private mutating func forget(waiting number: UInt64, _ call: Call) {
        if call.options.pilots != nil {
            pools[call.options]?.waiting.removeAll { $0 == number }
            return
        }
        let kind = JobKind(call)
        waiting[kind]?.removeAll { $0 == number }
        if waiting[kind]?.isEmpty == true { waiting[kind] = nil }
        if waiting.isEmpty { gatheredAt = nil }
    }

    /// Ends a body without a result.
    mutating func end(_ number: UInt64, _ ending: Ending) {
        guard let placed = calls.removeValue(forKey: number) else { return }
        actions.append(.end(number, placed.isCancelled && ending != .left ? .cancelled : ending))
    }

    /// Ends a body that Slurm has ended. If it is an effect, that effect may have happened.
    mutating func endUncertain(_ number: UInt64, _ ending: Ending) {
        guard let placed = calls[number], !placed.call.mayRepeat else { return end(number, ending) }
        switch ending {
        case .failed(_, let text), .withoutResult(let text):
            end(number, .failed(.unknown, "\(text); whether it had its effect is not known"))
        case .cancelled, .left: end(number, ending)
        }
    }

    /// A body whose node or job is lost: it runs again, unless that might repeat an effect.
    mutating func lost(_ number: UInt64, hasBegun: Bool, _ reason: String, at now: Double) {
        guard let placed = calls[number] else { return }
        if placed.isCancelled { return end(number, .cancelled) }
        if hasBegun, !placed.call.mayRepeat {
            let text =
                "'\(placed.call.name)' may have had its effect: \(reason); it is not repeated by itself"
            return end(number, .failed(.unknown, text))
        }
        if hasBegun {
            placed.losses += 1
            guard placed.losses <= settings.mostLosses else {
                return end(
                    number,
                    .withoutResult("'\(placed.call.name)' was lost \(placed.losses) times: \(reason)")
                )
            }
        }
        place(number, at: now, first: true)
    }
}
