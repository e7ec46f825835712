import OpScript
@testable import OpScriptSlurm

/// A cluster in memory, on a time of its own: it performs the actions of the rules, and invents faults.
///
/// A seed decides how long bodies take, which nodes are lost, and which answers do not come. It counts how often each
/// body has had its effect.
struct SimulatedSlurm {
    /// How likely each fault is, per occasion.
    struct Faults {
        /// Slurm refuses a batch for now.
        var busy = 0.0
        /// A batch is taken, or not, and the answer does not come.
        var doubtful = 0.0
        /// The list of jobs does not come.
        var silence = 0.0
        /// A node dies under a body, and Slurm begins the body elsewhere.
        var requeue = 0.0
        /// A node dies under a body, and Slurm gives the body up.
        var nodeFail = 0.0
        /// A job is ended because of a more important one.
        var preempted = 0.0
        /// Slurm forgets an element of a batch that it has taken.
        var forgotten = 0.0
        /// The result becomes visible so many seconds late, at most.
        var delay = 0.0
        /// A pilot's process ends.
        var pilotEnd = 0.0

        static let none = Faults()
        static let all = Faults(
            busy: 0.05,
            doubtful: 0.05,
            silence: 0.05,
            requeue: 0.02,
            nodeFail: 0.02,
            preempted: 0.02,
            forgotten: 0.01,
            delay: 3,
            pilotEnd: 0.01
        )
    }

    /// The end of a body, as the driver reports it.
    enum End: Equatable {
        case result
        case ended(SlurmMachine.Ending)
    }

    private struct Element {
        var number: UInt64
        var state = "PENDING"
        var restarts = 0
        var node = ""
        /// Changes whenever something happens to it, so that an event of an earlier attempt is recognised.
        var attempt = 0
        var isForgotten = false
    }

    private enum Event {
        case answered(batch: Int, isTaken: Bool, SlurmRefusal?)
        case listed
        case started(batch: Int, index: Int, attempt: Int)
        case ended(batch: Int, index: Int, attempt: Int)
        case visible(ResultName)
        case pilotReady(Int)
        case pilotBegan(Int, UInt64)
        case pilotEnded(Int, UInt64)
        case pilotGone(Int)
    }

    var machine: SlurmMachine
    let faults: Faults
    /// Seconds that a body takes.
    let seconds: ClosedRange<Double>
    private(set) var now = 0.0
    private var random: SplitMix
    private var events = EventHeap<Event>()
    private var batches: [Int: [Element]] = [:]
    private var repeats: [Int: Bool] = [:]
    private var results: Set<ResultName> = []
    private var pilots: [Int: [UInt64]] = [:]
    /// Free cores of the cluster, and who waits for one.
    private var free: Int
    private var queue: [(batch: Int, index: Int)] = []
    private var queueStart = 0

    /// How often each body has run to its end.
    private(set) var effects: [UInt64: Int] = [:]
    private(set) var ends: [UInt64: End] = [:]
    /// The calls that were ended twice.
    private(set) var endedTwice: [UInt64] = []
    private(set) var submissions = 0
    private(set) var questions = 0
    private(set) var mostQuestionsInASecond = 0
    private var lastQuestion = -1.0
    /// Called with each end, for a driver that adds more.
    var onEnd: ((inout SlurmMachine, UInt64, Double) -> Void)?

    init(
        seed: UInt64,
        nodes: Int,
        faults: Faults = .none,
        seconds: ClosedRange<Double> = 1...20,
        settings: SlurmMachine.Settings = SlurmMachine.Settings()
    ) {
        machine = SlurmMachine(settings)
        random = SplitMix(seed: seed)
        free = nodes
        self.faults = faults
        self.seconds = seconds
    }

    /// Runs until nothing happens any more, or until a moment.
    mutating func run(until limit: Double = .infinity) {
        while true {
            machine.passed(to: now)
            perform()
            let next = [events.first, machine.nextMoment].compactMap { $0 }.min()
            guard let next, next <= limit else { return }
            now = max(now, next)
            while let moment = events.first, moment <= now, let event = events.pop() { happen(event) }
        }
    }

    /// The state of a job, for tests that interfere.
    mutating func set(batch: Int, index: Int, state: String) {
        batches[batch]?[index].state = state
        batches[batch]?[index].attempt += 1
    }

    // MARK: Actions

    private mutating func perform() {
        while true {
            let actions = machine.takeActions()
            if actions.isEmpty { return }
            for action in actions { perform(action) }
        }
    }

    private mutating func perform(_ action: SlurmMachine.Action) {
        switch action {
        case .submit(let batch, let numbers, _): submit(batch, numbers)
        case .askForStates:
            questions += 1
            if now - lastQuestion < 0.999 { mostQuestionsInASecond += 1 }
            lastQuestion = now
            events.add(.listed, at: now + 0.05)
        case .lookForResults:
            machine.resultsSeen(results.sorted { ($0.batch, $0.index) < ($1.batch, $1.index) })
        case .endJobs(let jobs): end(jobs)
        case .readResult(let number, let name):
            results.remove(name)
            finish(number, .result)
            machine.resultRead(number)
        case .startPilot(let pilot, _):
            pilots[pilot] = []
            events.add(.pilotReady(pilot), at: now + 0.5)
        case .give(let number, let pilot):
            guard pilots[pilot] != nil else { return }
            pilots[pilot]?.append(number)
            if pilots[pilot]?.count == 1 { begin(number, on: pilot) }
        case .stop(let number, let pilot):
            guard pilots[pilot]?.contains(number) == true else { return }
            let runs = pilots[pilot]?.first == number
            pilots[pilot]?.removeAll { $0 == number }
            if runs, let next = pilots[pilot]?.first { begin(next, on: pilot) }
            finish(number, .ended(.cancelled))
            machine.pilotSaid(pilot, .ended(number), at: now)
        case .closePilot(let pilot):
            if pilots[pilot]?.isEmpty == true { events.add(.pilotGone(pilot), at: now + 0.1) }
        case .endPilot(let pilot): events.add(.pilotGone(pilot), at: now + 0.1)
        case .report: break
        case .end(let number, let ending): finish(number, .ended(ending))
        }
    }

    private mutating func finish(_ number: UInt64, _ end: End) {
        if ends[number] != nil { endedTwice.append(number) }
        ends[number] = end
        onEnd?(&machine, number, now)
    }

    private mutating func chance(_ likelihood: Double) -> Bool {
        likelihood > 0 && random.fraction() < likelihood
    }

    private mutating func submit(_ batch: Int, _ numbers: [UInt64]) {
        submissions += 1
        repeats[batch] = machine.repeats(batch)
        if chance(faults.busy) {
            let refusal = SlurmRefusal(.busy, "slow down")
            return events.add(.answered(batch: batch, isTaken: false, refusal), at: now + 0.01)
        }
        let isDoubtful = chance(faults.doubtful)
        let isTaken = !isDoubtful || chance(0.5)
        if isTaken {
            batches[batch] = numbers.map { Element(number: $0) }
            for index in numbers.indices {
                if chance(faults.forgotten) {
                    batches[batch]?[index].isForgotten = true
                } else {
                    enqueue(batch, index)
                }
            }
        }
        let refusal = isDoubtful ? SlurmRefusal(.doubtful, "socket timed out") : nil
        events.add(.answered(batch: batch, isTaken: isTaken, refusal), at: now + 0.02)
    }

    private mutating func enqueue(_ batch: Int, _ index: Int) {
        queue.append((batch, index))
        startNext()
    }

    private mutating func startNext() {
        while free > 0, queueStart < queue.count {
            let (batch, index) = queue[queueStart]
            queueStart += 1
            if queueStart > 4_096, queueStart * 2 > queue.count {
                queue.removeFirst(queueStart)
                queueStart = 0
            }
            guard let element = batches[batch]?[index], element.state == "PENDING" else { continue }
            free -= 1
            events.add(.started(batch: batch, index: index, attempt: element.attempt), at: now + 0.1)
        }
    }

    private mutating func end(_ jobs: [String]) {
        for job in jobs {
            let parts = job.split(separator: "_").compactMap { Int($0) }
            guard let batch = parts.first, let index = parts.last, let element = batches[batch]?[index],
                element.state == "PENDING" || element.state == "RUNNING"
            else { continue }
            if element.state == "RUNNING" { free += 1 }
            batches[batch]?[index].state = "CANCELLED"
            batches[batch]?[index].attempt += 1
            startNext()
        }
    }

    // MARK: Events

    private mutating func happen(_ event: Event) {
        switch event {
        case .answered(let batch, let isTaken, let refusal):
            if let refusal {
                machine.batchRefused(batch, refusal, at: now)
            } else if isTaken {
                machine.batchTaken(batch, job: "\(batch)", at: now)
            }
        case .listed: machine.statesCame(chance(faults.silence) ? nil : list(), at: now)
        case .started(let batch, let index, let attempt): start(batch, index, attempt)
        case .ended(let batch, let index, let attempt): end(batch, index, attempt)
        case .visible(let name): results.insert(name)
        case .pilotReady(let pilot): machine.pilotSaid(pilot, .ready(node: "n\(pilot)"), at: now)
        case .pilotBegan(let pilot, let number): machine.pilotSaid(pilot, .began(number), at: now)
        case .pilotEnded(let pilot, let number):
            guard pilots[pilot]?.first == number else { return }
            effects[number, default: 0] += 1
            pilots[pilot]?.removeFirst()
            if let next = pilots[pilot]?.first { begin(next, on: pilot) }
            finish(number, .result)
            machine.pilotSaid(pilot, .ended(number), at: now)
        case .pilotGone(let pilot):
            guard pilots.removeValue(forKey: pilot) != nil else { return }
            machine.pilotEnded(pilot, SlurmRefusal(.busy, "killed"), at: now)
        }
    }

    private mutating func begin(_ number: UInt64, on pilot: Int) {
        events.add(.pilotBegan(pilot, number), at: now)
        if chance(faults.pilotEnd) { return events.add(.pilotGone(pilot), at: now + 0.01) }
        events.add(.pilotEnded(pilot, number), at: now + random.within(seconds))
    }

    private mutating func start(_ batch: Int, _ index: Int, _ attempt: Int) {
        guard batches[batch]?[index].attempt == attempt, batches[batch]?[index].state == "PENDING" else {
            free += 1
            return startNext()
        }
        batches[batch]?[index].state = "RUNNING"
        batches[batch]?[index].node = "n\(index)"
        events.add(.ended(batch: batch, index: index, attempt: attempt), at: now + random.within(seconds))
    }

    private mutating func end(_ batch: Int, _ index: Int, _ attempt: Int) {
        guard var element = batches[batch]?[index], element.attempt == attempt, element.state == "RUNNING"
        else { return }
        free += 1
        element.attempt += 1
        if chance(faults.requeue), repeats[batch] == true {
            element.state = "PENDING"
            element.restarts += 1
            batches[batch]?[index] = element
            return enqueue(batch, index)
        }
        if chance(faults.nodeFail) {
            element.state = "NODE_FAIL"
        } else if chance(faults.preempted) {
            element.state = "PREEMPTED"
        } else {
            element.state = "COMPLETED"
            effects[element.number, default: 0] += 1
            let name = ResultName(batch: batch, index: index, restarts: element.restarts)
            events.add(.visible(name), at: now + random.fraction() * faults.delay)
        }
        batches[batch]?[index] = element
        startNext()
    }

    /// The list of jobs, elements that wait in one line as Slurm writes them.
    private func list() -> [JobListing] {
        var list: [JobListing] = []
        for batch in batches.keys where machine.batches[batch] != nil {
            let elements = batches[batch] ?? []
            let pending = elements.indices.filter {
                elements[$0].state == "PENDING" && elements[$0].restarts == 0 && !elements[$0].isForgotten
            }
            if !pending.isEmpty { list.append(listing(batch, pending, "PENDING", 0, "")) }
            for (index, element) in elements.enumerated() where !element.isForgotten {
                if element.state == "PENDING", element.restarts == 0 { continue }
                list.append(listing(batch, [index], element.state, element.restarts, element.node))
            }
        }
        return list
    }

    private func listing(_ batch: Int, _ indices: [Int], _ state: String, _ restarts: Int, _ node: String)
        -> JobListing
    {
        JobListing(
            job: "\(batch)",
            indices: indices,
            state: state,
            restarts: restarts,
            node: node,
            batch: batch,
            reason: "Resources"
        )
    }
}

/// Random numbers of a seed.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// From 0 to 1, without 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func within(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + fraction() * (range.upperBound - range.lowerBound)
    }
}

/// Events by their moments; those of one moment in the order of addition.
struct EventHeap<Event> {
    private var items: [(at: Double, number: Int, event: Event)] = []
    private var count = 0

    var first: Double? { items.first?.at }

    mutating func add(_ event: Event, at moment: Double) {
        count += 1
        items.append((moment, count, event))
        var place = items.count - 1
        while place > 0, isBefore(place, (place - 1) / 2) {
            items.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func pop() -> Event? {
        guard let first = items.first else { return nil }
        let last = items.removeLast()
        if !items.isEmpty {
            items[0] = last
            var place = 0
            while true {
                var least = place
                for child in [2 * place + 1, 2 * place + 2]
                where child < items.count && isBefore(child, least) {
                    least = child
                }
                if least == place { break }
                items.swapAt(place, least)
                place = least
            }
        }
        return first.event
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (items[left].at, items[left].number) < (items[right].at, items[right].number)
    }
}
