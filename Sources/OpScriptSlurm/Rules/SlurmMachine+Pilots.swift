internal import OpScript

/// Bodies that pilots run: jobs that take one operation after the other.
extension SlurmMachine {
    /// The pilots of queues with the same options, and the bodies that wait for one.
    struct PilotPool {
        var pilots: [Int] = []
        var waiting: [UInt64] = []
        /// Pilots that ended before they could take anything, one after the other.
        var failures = 0
        /// Why its pilots wait for a node, in Slurm's words.
        var reason = ""
        /// Whether bodies have come since it was last served.
        var isDue = false
        /// No pilot is started before this moment.
        var nextStart = 0.0
    }

    /// A job that takes one operation after the other.
    struct Pilot {
        let pool: ClusterOptions
        /// Its node; nil until it has answered.
        var node: String?
        /// The bodies that it has, the one that it runs first.
        var calls: [UInt64] = []
        /// Whether it takes no more bodies.
        var isClosing = false
        var idleSince = 0.0
        /// How often the list said, one time after the other, that it can never start.
        var impossible = 0
        /// Seconds from the end of one body to that of the next, on average; nil before the first.
        var pace: Double?
        /// When the last body ended, or the first one was given.
        var lastEnd = 0.0

        /// How many bodies it may have at once: more if they are short.
        var room: Int {
            pace.map { max(2, min(SlurmMachine.mostAhead, Int(SlurmMachine.ahead / max($0, 1e-6)))) } ?? 2
        }

        mutating func noteEnd(at now: Double) {
            let time = now - lastEnd
            pace = pace.map { $0 * 0.8 + time * 0.2 } ?? time
            lastEnd = now
        }
    }

    /// A report of a pilot.
    enum PilotMessage: Equatable {
        case ready(node: String)
        case began(UInt64)
        /// Its body has ended, and its call with it.
        case ended(UInt64)
    }

    /// A pilot gets bodies for so many seconds, so that it need not wait for the driver after each of them.
    fileprivate static var ahead: Double { 0.1 }
    /// The most bodies that a pilot has at once.
    fileprivate static var mostAhead: Int { 64 }
    /// Pilots that fail one after the other before the bodies fail.
    private static var mostFailures: Int { 3 }

    mutating func enqueue(_ number: UInt64, _ call: Call, first: Bool) {
        if pools[call.options] == nil { poolOrder.append(call.options) }
        var pool = pools.removeValue(forKey: call.options) ?? PilotPool()
        if first {
            pool.waiting.insert(number, at: 0)
        } else if let last = pool.waiting.last, (calls[last]?.call.priority ?? 0) < call.priority {
            // By priority, and in the order of arrival.
            let place = pool.waiting.lastIndex { (calls[$0]?.call.priority ?? 0) >= call.priority }
            pool.waiting.insert(number, at: place.map { $0 + 1 } ?? 0)
        } else {
            pool.waiting.append(number)
        }
        pool.isDue = true
        pools[call.options] = pool
        actions.append(.report(number, place: .waiting("waits for a pilot")))
    }

    /// Gives waiting bodies to pilots, and starts pilots if they are too few.
    mutating func serve(_ key: ClusterOptions, at now: Double) {
        guard !isClosed, var pool = pools.removeValue(forKey: key) else { return }
        pool.isDue = false
        // First one body each; further ones only while more wait than there are pilots.
        var next = 0
        for load in 0..<Self.mostAhead {
            var hasRoom = false
            for pilot in pool.pilots {
                guard let state = pilots[pilot], state.node != nil, !state.isClosing, state.room > load else {
                    continue
                }
                hasRoom = true
                let rest = pool.waiting.count - next
                guard state.calls.count == load, rest > 0, load == 0 || rest > pool.pilots.count else {
                    continue
                }
                let number = pool.waiting[next]
                next += 1
                if load == 0 { pilots[pilot]?.lastEnd = now }
                pilots[pilot]?.calls.append(number)
                calls[number]?.state = .onPilot(pilot)
                actions.append(.give(number, pilot: pilot))
            }
            if !hasRoom { break }
        }
        pool.waiting.removeFirst(next)
        let missing = missingPilots(key, pool)
        if missing > 0, now >= pool.nextStart {
            pool.nextStart = now + 1 / key.submitRate
            // All at once: the rate is for the calls that follow.
            for _ in 0..<missing {
                lastPilot += 1
                pilots[lastPilot] = Pilot(pool: key, idleSince: now)
                pool.pilots.append(lastPilot)
                actions.append(.startPilot(lastPilot, key))
            }
        }
        pools[key] = pool
    }

    /// How many pilots a pool should have beside those that it has.
    private func missingPilots(_ key: ClusterOptions, _ pool: PilotPool) -> Int {
        guard !isClosed, let limits = key.pilots else { return 0 }
        let busy = pool.pilots.count { pilots[$0]?.calls.isEmpty == false }
        let open = pool.pilots.count { pilots[$0]?.isClosing == false }
        return min(limits.max, max(limits.min, busy + pool.waiting.count)) - open
    }

    /// A pilot has said something.
    mutating func pilotSaid(_ pilot: Int, _ message: PilotMessage, at now: Double) {
        guard let state = pilots[pilot] else { return }
        switch message {
        case .ready(let node):
            pilots[pilot]?.node = node
            pilots[pilot]?.idleSince = now
            pools[state.pool]?.failures = 0
            serve(state.pool, at: now)
        case .began(let number):
            actions.append(.report(number, place: .running(node: state.node ?? "")))
        case .ended(let number):
            pilots[pilot]?.calls.removeAll { $0 == number }
            pilots[pilot]?.idleSince = now
            pilots[pilot]?.noteEnd(at: now)
            calls[number] = nil
            serve(state.pool, at: now)
        }
    }

    /// Whether pilots have not answered yet, so that Slurm's list may say why.
    var hasSilentPilots: Bool { pilots.values.contains { $0.node == nil && !$0.isClosing } }

    /// Slurm's list has a pilot that has not answered.
    mutating func noteSilence(of pilot: Int, _ entry: JobListing, at now: Double) {
        guard let state = pilots[pilot], state.node == nil, entry.state == "PENDING" else { return }
        if pools[state.pool]?.reason != entry.reason {
            pools[state.pool]?.reason = entry.reason
            for number in pools[state.pool]?.waiting ?? [] {
                actions.append(.report(number, place: .waiting("waits for a pilot (\(entry.reason))")))
            }
        }
        pilots[pilot]?.impossible = entry.isImpossible ? state.impossible + 1 : 0
        guard pilots[pilot]?.impossible == 2 else { return }
        actions.append(.endPilot(pilot))
        pilotEnded(pilot, SlurmRefusal(.final, "Slurm can never start it as it is: \(entry.reason)"), at: now)
    }

    /// A pilot's process has ended.
    mutating func pilotEnded(_ pilot: Int, _ refusal: SlurmRefusal, at now: Double) {
        guard let state = pilots.removeValue(forKey: pilot) else { return }
        pools[state.pool]?.pilots.removeAll { $0 == pilot }
        let reason = "its pilot\(state.node.map { " on \($0)" } ?? "") has ended: \(refusal.text)"
        for (place, number) in state.calls.enumerated().reversed() {
            lost(number, hasBegun: place == 0 || calls[number]?.call.mayRepeat == false, reason, at: now)
        }
        if state.node == nil, !state.isClosing { noteFailure(state.pool, refusal, at: now) }
        serve(state.pool, at: now)
    }

    /// A pilot ended before it could take anything.
    private mutating func noteFailure(_ key: ClusterOptions, _ refusal: SlurmRefusal, at now: Double) {
        pools[key]?.failures += 1
        let failures = pools[key]?.failures ?? 0
        pools[key]?.nextStart = now + min(60, Double(1 << min(failures, 6)))
        let isHopeless = refusal.kind == .final || failures >= Self.mostFailures
        guard isHopeless, pools[key]?.pilots.allSatisfy({ pilots[$0]?.node == nil }) == true else { return }
        pools[key]?.failures = 0
        let numbers = pools[key]?.waiting ?? []
        pools[key]?.waiting = []
        for number in numbers {
            guard let name = calls[number]?.call.name else { continue }
            end(number, .failed(.failed, "no pilot could be started for '\(name)': \(refusal.text)"))
        }
    }

    /// Lets a pilot end after the bodies that it has.
    mutating func close(_ pilot: Int) {
        guard pilots[pilot]?.isClosing == false else { return }
        pilots[pilot]?.isClosing = true
        // One that has no node yet does not read its input.
        actions.append(pilots[pilot]?.node == nil ? .endPilot(pilot) : .closePilot(pilot))
    }

    /// Ends pilots that have had nothing to do for long, and starts those for which it is time.
    mutating func pilotsPassed(to now: Double) {
        for key in poolOrder {
            guard let pool = pools[key], let limits = key.pilots else { continue }
            var open = pool.pilots.filter { pilots[$0]?.isClosing == false }
            for pilot in open where open.count > limits.min && isIdle(pilot) {
                guard let since = pilots[pilot]?.idleSince, now >= since + limits.idle else { continue }
                close(pilot)
                open.removeAll { $0 == pilot }
            }
            if pool.isDue || now >= pool.nextStart && missingPilots(key, pool) > 0 { serve(key, at: now) }
        }
    }

    private func isIdle(_ pilot: Int) -> Bool {
        pilots[pilot].map { $0.calls.isEmpty && $0.node != nil && !$0.isClosing } ?? false
    }

    var nextMomentOfPilots: Double? {
        var moments: [Double] = []
        for (key, pool) in pools {
            guard let limits = key.pilots else { continue }
            let open = pool.pilots.filter { pilots[$0]?.isClosing == false }
            if open.count > limits.min {
                moments += open.filter(isIdle).compactMap { pilots[$0]?.idleSince }.map { $0 + limits.idle }
            }
            if pool.isDue { moments.append(0) }
            if missingPilots(key, pool) > 0 { moments.append(pool.nextStart) }
        }
        return moments.min()
    }
}
