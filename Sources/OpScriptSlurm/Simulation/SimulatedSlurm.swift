internal import OpScript
internal import Scheduling

/// A cluster with Slurm in memory, on a time of its own.
///
/// It performs the actions of the rules as a controller, nodes and a shared folder would, and invents faults. A fault
/// strikes at the worst moment: when the body has had its effect, and its result is not known yet.
final class SimulatedSlurm: ClusterSimulation {
    private enum Event {
        case answered(batch: Int, isTaken: Bool, SlurmRefusal?)
        case listed
        case started(batch: Int, index: Int, attempt: Int, node: Int)
        case visible(ResultName)
        case pilotReady(Int)
        case pilotGone(Int)
        /// The time limit of a body, which its worker watches; that of a job, which Slurm watches.
        case limit(BatchPlace, attempt: Int, isOfJob: Bool)
        case limitOnPilot(Int, UInt64)
    }

    var machine: SlurmMachine
    private let faults: SlurmFaults
    private var random: RandomSequence
    private var due = TimerHeap<Event>()
    private var now = 0.0
    private var events: [ClusterEvent] = []

    /// Jobs by batch.
    private var batches: [Int: SimulatedBatch] = [:]
    /// The files in the folder of results.
    private var results: [ResultName] = []
    private var pilots: [Int: SimulatedPilot] = [:]
    /// Where the bodies are that execute.
    private var executing: [UInt64: Place] = [:]
    private var freeNodes: [Int]
    /// By number; that of no node is empty.
    private let nodeNames: [String]
    /// Jobs that wait for a node.
    private var queue: ArraySlice<BatchPlace> = []
    /// Pilots that wait for a node.
    private var waitingPilots: ArraySlice<Int> = []
    private let reportsPlaces: Bool

    /// How often a batch was submitted, and how often the list was asked for.
    private(set) var submissions = 0
    private(set) var questions = 0
    private(set) var mostQuestionsInASecond = 0
    private var lastQuestion = -1.0
    /// How many lists have come since something changed.
    private var quietLists = 0

    private enum Place {
        case job(BatchPlace)
        case pilot(Int)
    }

    /// - Parameters:
    ///   - nodes: How many bodies run at once.
    ///   - settings: The times of the rules.
    ///   - reportsPlaces: Whether events say where bodies wait.
    init(
        seed: UInt64,
        nodes: Int,
        faults: SlurmFaults = SlurmFaults(),
        settings: SlurmMachine.Settings = SlurmMachine.Settings(),
        reportsPlaces: Bool = true
    ) {
        machine = SlurmMachine(settings)
        random = RandomSequence(seed: seed)
        // The first node is taken first.
        freeNodes = (1...nodes).reversed()
        nodeNames = [""] + (1...nodes).map { "n\($0)" }
        self.faults = faults
        self.reportsPlaces = reportsPlaces
    }

    // MARK: The engine's side

    func start(_ body: SimulatedBody, at now: Double) {
        advance(to: now)
        quietLists = 0
        let call = SlurmMachine.Call(
            number: body.number,
            name: body.name,
            options: body.options,
            priority: body.priority,
            timeLimit: body.timeLimit,
            mayRepeat: body.mayRepeat
        )
        machine.called(call, at: now)
    }

    func cancel(_ number: UInt64, at now: Double) {
        advance(to: now)
        quietLists = 0
        machine.cancelled(number, at: now)
    }

    @discardableResult
    func bodyEnded(_ number: UInt64, at now: Double) -> Bool {
        advance(to: now)
        guard let place = executing.removeValue(forKey: number) else { return false }
        quietLists = 0
        switch place {
        case .job(let place): jobEnded(place)
        case .pilot(let pilot): pilotEnded(pilot, number)
        }
        return true
    }

    func takeEvents(until moment: Double) -> [ClusterEvent] {
        advance(to: moment)
        defer { events = [] }
        return events
    }

    /// Lets happen what is due, up to a moment.
    private func advance(to moment: Double) {
        while true {
            machine.passed(to: now)
            perform()
            guard let next = nextMoment, next <= moment else { break }
            now = max(now, next)
            // In seconds, far deadlines are not exact: the next one is due all the same.
            let deadline = due.nextDeadline.flatMap { Double($0) / 1e9 <= now ? $0 : nil } ?? 0
            let limit = max(Self.nanoseconds(now), deadline)
            while let event = due.popDue(limit)?.payload { happen(event) }
        }
        now = max(now, moment)
    }

    var nextMoment: Double? {
        let own = due.nextDeadline.map { Double($0) / 1e9 }
        // Questions whose answers are known are no reason for time to pass: a run that waits for ever shows it.
        let rules = isQuiet ? machine.nextMomentOfPilots : machine.nextMoment
        return [own, rules].compactMap { $0 }.min()
    }

    /// Whether the rules know everything, and nothing changes by itself.
    private var isQuiet: Bool {
        quietLists >= Self.mostQuietLists && results.isEmpty && machine.gatheredAt == nil
            && machine.leaving.isEmpty
    }

    /// After so many lists without a change, the rules have drawn their conclusions.
    private static let mostQuietLists = 6

    /// Rounded, so that a deadline in seconds is the same number of nanoseconds again.
    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64((min(seconds, 4e9) * 1e9).rounded()) }

    private func schedule(_ event: Event, after seconds: Double) {
        due.schedule(at: Self.nanoseconds(now + seconds), event)
    }

    private func chance(_ likelihood: Double) -> Bool { likelihood > 0 && random.nextUnit() < likelihood }

    // MARK: Actions

    private func perform() {
        while true {
            let actions = machine.takeActions()
            if actions.isEmpty { return }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: SlurmMachine.Action) {
        switch action {
        case .askForStates, .lookForResults, .report, .warn: break
        default: quietLists = 0
        }
        switch action {
        case .submit(let batch, let numbers, _): submit(batch, numbers)
        case .askForStates:
            questions += 1
            if now - lastQuestion < 0.999 { mostQuestionsInASecond += 1 }
            lastQuestion = now
            schedule(.listed, after: 0.05)
        case .lookForResults:
            machine.resultsSeen(results)
        case .endJobs(let jobs):
            for job in jobs { end(job: job) }
        case .readResult(let number, let name):
            results.removeAll { $0 == name }
            let element = batches[name.batch]?.elements[name.index]
            end(number, element?.isTimedOut == true ? timedOut(number) : nil)
            machine.resultRead(number)
        case .startPilot(let pilot, _):
            pilots[pilot] = SimulatedPilot()
            waitingPilots.append(pilot)
            useNodes()
        case .give(let number, let pilot):
            guard pilots[pilot] != nil else { return }
            pilots[pilot]?.bodies.append(number)
            if pilots[pilot]?.bodies.count == 1 { begin(number, on: pilot) }
        case .stop(let number, let pilot):
            guard let place = pilots[pilot]?.bodies.firstIndex(of: number) else { return }
            pilots[pilot]?.bodies.remove(at: place)
            executing[number] = nil
            end(number, CancellationError())
            continuePilot(pilot, hasEnded: number, wasFirst: place == 0)
        case .closePilot(let pilot):
            pilots[pilot]?.isClosing = true
            if pilots[pilot]?.bodies.isEmpty == true { schedule(.pilotGone(pilot), after: 0.1) }
        case .endPilot(let pilot): schedule(.pilotGone(pilot), after: 0.1)
        case .report(let number, let place):
            if reportsPlaces { events.append(.reports(number, place: place)) }
        case .end(let number, let ending):
            switch executing.removeValue(forKey: number) {
            case .pilot(let pilot): pilots[pilot]?.bodies.removeAll { $0 == number }
            case .job(let place): end(place, "CANCELLED")
            case nil: break
            }
            end(number, ending.error())
        case .warn: break
        }
    }

    /// - Parameter error: nil if the end of the body counts.
    private func end(_ number: UInt64, _ error: (any Error)?) {
        events.append(error.map { .fails(number, $0) } ?? .counts(number))
    }

    private func timedOut(_ number: UInt64) -> ScriptError {
        let call = machine.calls[number]?.call
        return .timedOut(call?.name ?? "", after: call?.timeLimit ?? 0)
    }

    // MARK: Jobs

    private func submit(_ batch: Int, _ numbers: [UInt64]) {
        submissions += 1
        if chance(faults.busy) {
            let refusal = SlurmRefusal(.busy, "slow down")
            return schedule(.answered(batch: batch, isTaken: false, refusal), after: 0.01)
        }
        let isDoubtful = chance(faults.doubtful)
        let isTaken = !isDoubtful || chance(0.5)
        if isTaken {
            let own = SimulatedBatch(
                numbers,
                mayRepeat: machine.repeats(batch),
                seconds: machine.batches[batch]?.kind.minutes.map { Double($0) * 60 }
            )
            for index in numbers.indices {
                own.elements[index].isForgotten = chance(faults.forgotten)
                if !own.elements[index].isForgotten { queue.append(BatchPlace(batch: batch, index: index)) }
            }
            batches[batch] = own
            useNodes()
        }
        let refusal = isDoubtful ? SlurmRefusal(.doubtful, "socket timed out") : nil
        schedule(.answered(batch: batch, isTaken: isTaken, refusal), after: 0.02)
    }

    /// Gives free nodes to what waits for one.
    private func useNodes() {
        while let node = freeNodes.last {
            if let pilot = waitingPilots.popFirst() {
                guard pilots[pilot] != nil else { continue }
                pilots[pilot]?.node = freeNodes.removeLast()
                schedule(.pilotReady(pilot), after: 0.5)
                continue
            }
            guard let place = queue.popFirst() else { return }
            guard let element = batches[place.batch]?.elements[place.index], element.phase == .pending else {
                continue
            }
            freeNodes.removeLast()
            schedule(
                .started(batch: place.batch, index: place.index, attempt: element.attempt, node: node),
                after: 0.1
            )
        }
    }

    private func free(_ node: Int) {
        freeNodes.append(node)
        useNodes()
    }

    /// A node has begun with a job.
    private func started(_ place: BatchPlace, _ attempt: Int, _ node: Int) {
        guard let batch = batches[place.batch], batch.elements[place.index].attempt == attempt,
            batch.elements[place.index].phase == .pending
        else { return free(node) }
        batches[place.batch]?.elements[place.index].phase = .running
        batches[place.batch]?.elements[place.index].node = node
        let number = batch.elements[place.index].number
        executing[number] = .job(place)
        events.append(.begins(number, node: nodeNames[node]))
        if let limit = machine.calls[number]?.call.timeLimit {
            schedule(.limit(place, attempt: attempt, isOfJob: false), after: limit)
        }
        if let limit = batch.seconds {
            schedule(.limit(place, attempt: attempt, isOfJob: true), after: limit)
        }
    }

    /// The body of a job has ended: the job leaves its result, unless a fault comes first.
    private func jobEnded(_ place: BatchPlace) {
        guard let batch = batches[place.batch] else { return }
        if chance(faults.requeue), batch.mayRepeat {
            batches[place.batch]?.elements[place.index].begin()
            queue.append(place)
        } else if chance(faults.nodeFail) {
            leave(place, .over("NODE_FAIL"))
        } else if chance(faults.preempted) {
            leave(place, .over("PREEMPTED"))
        } else {
            complete(place)
        }
        free(batch.elements[place.index].node)
    }

    private func complete(_ place: BatchPlace) {
        leave(place, .over("COMPLETED"))
        let restarts = batches[place.batch]?.elements[place.index].restarts ?? 0
        let name = ResultName(batch: place.batch, index: place.index, restarts: restarts)
        guard faults.delay > 0 else { return results.append(name) }
        schedule(.visible(name), after: random.nextUnit() * faults.delay)
    }

    private func leave(_ place: BatchPlace, _ phase: SimulatedJob.Phase) {
        batches[place.batch]?.elements[place.index].phase = phase
        batches[place.batch]?.elements[place.index].attempt += 1
    }

    /// Ends a job as `scancel` does.
    private func end(job: String) {
        let parts = job.split(separator: "_").compactMap { Int($0) }
        guard let first = parts.first, let last = parts.last else { return }
        end(BatchPlace(batch: first, index: last), "CANCELLED")
    }

    private func end(_ place: BatchPlace, _ state: String) {
        guard let job = batches[place.batch]?.elements[place.index], !job.isOver else { return }
        leave(place, .over(state))
        if job.phase == .running {
            executing[job.number] = nil
            free(job.node)
        }
    }

    // MARK: Events

    private func happen(_ event: Event) {
        if case .listed = event { quietLists += 1 } else { quietLists = 0 }
        switch event {
        case .answered(let batch, let isTaken, let refusal):
            if let refusal {
                machine.batchRefused(batch, refusal, at: now)
            } else if isTaken {
                machine.batchTaken(batch, job: "\(batch)", at: now)
            }
        case .listed:
            let isSilent = chance(faults.silence)
            if isSilent { quietLists = 0 }
            machine.statesCame(isSilent ? nil : list(), at: now)
        case .started(let batch, let index, let attempt, let node):
            started(BatchPlace(batch: batch, index: index), attempt, node)
        case .visible(let name): if batches[name.batch] != nil { results.append(name) }
        case .pilotReady(let pilot):
            if let node = pilots[pilot]?.node {
                machine.pilotSaid(pilot, .ready(node: nodeNames[node]), at: now)
            }
        case .pilotGone(let pilot):
            guard let own = pilots.removeValue(forKey: pilot) else { return }
            for number in own.bodies { executing[number] = nil }
            if let node = own.node { free(node) }
            machine.pilotEnded(pilot, SlurmRefusal(.busy, "killed"), at: now)
        case .limit(let place, let attempt, let isOfJob):
            guard let job = batches[place.batch]?.elements[place.index], job.attempt == attempt,
                job.phase == .running
            else { return }
            if isOfJob {
                events.append(.stops(job.number))
                return end(place, "TIMEOUT")
            }
            executing[job.number] = nil
            events.append(.stops(job.number))
            batches[place.batch]?.elements[place.index].isTimedOut = true
            complete(place)
            free(job.node)
        case .limitOnPilot(let pilot, let number):
            guard pilots[pilot]?.bodies.first == number, executing.removeValue(forKey: number) != nil else {
                return
            }
            pilots[pilot]?.bodies.removeFirst()
            end(number, timedOut(number))
            continuePilot(pilot, hasEnded: number, wasFirst: true)
        }
    }

    // MARK: Pilots

    private func begin(_ number: UInt64, on pilot: Int) {
        guard let node = pilots[pilot]?.node else { return }
        executing[number] = .pilot(pilot)
        machine.pilotSaid(pilot, .began(number), at: now)
        events.append(.begins(number, node: nodeNames[node]))
        if let limit = machine.calls[number]?.call.timeLimit {
            schedule(.limitOnPilot(pilot, number), after: limit)
        }
    }

    private func pilotEnded(_ pilot: Int, _ number: UInt64) {
        guard pilots[pilot]?.bodies.first == number else { return }
        if chance(faults.pilotEnd) { return happen(.pilotGone(pilot)) }
        pilots[pilot]?.bodies.removeFirst()
        end(number, nil)
        continuePilot(pilot, hasEnded: number, wasFirst: true)
    }

    private func continuePilot(_ pilot: Int, hasEnded number: UInt64, wasFirst: Bool) {
        if let next = pilots[pilot]?.bodies.first {
            if wasFirst { begin(next, on: pilot) }
        } else if pilots[pilot]?.isClosing == true {
            schedule(.pilotGone(pilot), after: 0.1)
        }
        machine.pilotSaid(pilot, .ended(number), at: now)
    }

    // MARK: The list

    /// The list of jobs; elements that wait are one line, as Slurm writes them.
    private func list() -> [JobListing] {
        var list: [JobListing] = []
        for number in batches.keys.sorted() {
            guard let batch = batches[number] else { continue }
            guard let own = machine.batches[number] else {
                if batch.elements.allSatisfy({ $0.isOver || $0.isForgotten }) {
                    batches[number] = nil
                    results.removeAll { $0.batch == number }
                }
                continue
            }
            batch.add(to: &list, number, own, nodeNames)
        }
        for pilot in pilots.keys.sorted() where pilots[pilot]?.node == nil {
            list.append(JobListing(waitingPilot: pilot))
        }
        return list
    }
}
