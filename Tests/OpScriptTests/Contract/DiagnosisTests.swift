import Foundation
import Scheduling
import Synchronization
import Testing

@testable import OpScript

/// Random small jobs whose operations wait for each other: each one ends, and each step of a diagnosis is true.
@Suite struct DiagnosisTests {
    /// How many jobs; `OPSCRIPT_DIAGNOSIS_JOBS` sets another number.
    private static let count =
        ProcessInfo.processInfo.environment["OPSCRIPT_DIAGNOSIS_JOBS"].flatMap(UInt64.init) ?? 400

    @Test(.timeLimit(.minutes(10)), arguments: 0..<4 as Range<UInt64>)
    func `a diagnosis names the whole chain, and each step of it is true`(part: UInt64) async throws {
        var chains = 0
        for seed in stride(from: part, to: Self.count, by: 4) {
            chains += try await run(DiagnosedJob(seed: seed))
        }
        #expect(chains > Self.count / 40, "there are jobs with chains")
    }

    /// Runs a job and checks its diagnoses.
    ///
    /// - Returns: How many chains there were.
    private func run(_ job: DiagnosedJob) async throws -> Int {
        let lines = Mutex<[String]>([])
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.standardOutput = { bytes in
            lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        configuration.standardError = { _ in }
        let report = try await ScriptEngine(configuration).run(job.script, named: "=job")
        let printed = lines.withLock { $0 }.joined().split(separator: "\n").map(String.init)
        #expect(printed.last == "over", "seed \(job.seed)")
        let waits = printed.dropLast().map { ($0.replacing(#/^job:\d+: /#, with: ""), isStuck: false) }
        // `'o1' (job:4) can never run: …`; such a chain ends at an operation that was named before.
        let stuck = report.stuck.map {
            ($0.replacing(#/^'\w+' \(job:\d+\) can never (run|end): /#, with: ""), isStuck: true)
        }
        var chains = 0
        for (sentence, isStuck) in waits + stuck {
            if sentence.contains("; ") { chains += 1 }
            let problem = job.problem(with: sentence, endsEarly: isStuck)
            #expect(problem == nil, "seed \(job.seed): '\(sentence)': \(problem ?? "")\n\(job.script)")
        }
        return chains
    }
}

/// A job of some operations in some queues.
private struct DiagnosedJob {
    private struct Member {
        let name: String
        var queue: Int?
        var dependencies: Set<String> = []
        var needsResource = false
        var isBarrier = false
        /// Whether it is in the serial dispatch queue, and not in an operation queue.
        var isDispatched = false
        /// Whether it is given to that queue in the group, or as the work item.
        var isInGroup = false
        var isItem = false
        /// The thing that its body waits for: another operation, a queue, the gate, the group, the semaphore,
        /// the work item, or the function that it gives to the serial dispatch queue with `sync`.
        var waits: String?
    }

    let seed: UInt64
    private var members: [Member] = []
    private var widths: [Int] = []
    private var suspended: Set<Int> = []

    init(seed: UInt64) {
        self.seed = seed
        var random = RandomSequence(seed: seed)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        for index in 0..<3 {
            widths.append([-1, 1, 1, 2, 0][pick(5)])
            if pick(6) == 0 { suspended.insert(index) }
        }
        let count = 2 + pick(5)
        for index in 0..<count {
            var member = Member(name: "o\(index)")
            if pick(8) != 0 { member.queue = pick(3) }
            for other in members where pick(4) == 0 { member.dependencies.insert(other.name) }
            member.needsResource = pick(4) == 0
            member.isBarrier = pick(8) == 0
            if pick(4) == 0 {
                (member.queue, member.isDispatched, member.isBarrier) = (nil, true, false)
                member.isInGroup = pick(2) == 0
                member.isItem = pick(2) == 0 && !members.contains { $0.isItem }
            }
            switch pick(13) {
            case 0...3: member.waits = "o\(pick(count))"
            case 4: member.waits = "q\(pick(3))"
            case 5: member.waits = "gate"
            case 6: member.waits = "group"
            case 7: member.waits = "semaphore"
            case 9, 10: member.waits = "sync"
            // Only one can wait for a work item.
            case 8 where !members.contains { $0.waits == "item" }: member.waits = "item"
            default: break
            }
            members.append(member)
        }
        guard !members.contains(where: { $0.isItem }) else { return }
        for index in members.indices where members[index].waits == "item" { members[index].waits = nil }
    }

    /// Makes the operations, adds them, and waits for all; each wait that cannot end prints the reason.
    var script: String {
        var text = "OperationQueue.setResource('r', 1)\nlocal o, q, gate = {}, {}, Gate 'door'\n"
        text += "local d, g, s, w = DispatchQueue 'd', DispatchGroup(), DispatchSemaphore(0)\n"
        text +=
            "local function wait(what, ...) local ok, problem = pcall(...) if not ok then print(problem.message) end end\n"
        for (index, width) in widths.enumerated() {
            text +=
                "q[\(index)] = OperationQueue { name = 'q\(index)', maxConcurrentOperationCount = \(width), "
            text += "isSuspended = \(suspended.contains(index)) }\n"
        }
        for (index, member) in members.enumerated() {
            let needs = member.needsResource ? ", resources = { r = 1 }" : ""
            text +=
                "o[\(index)] = Operation { name = '\(member.name)'\(needs), main = function() \(wait(member.waits)) end }\n"
            for other in member.dependencies.sorted() {
                text += "o[\(index)]:addDependency(o[\(other.dropFirst())], 'finished')\n"
            }
        }
        for (index, member) in members.enumerated() {
            if member.isItem { text += "w = DispatchWorkItem(o[\(index)])\n" }
            if member.isDispatched {
                let body = member.isItem ? "w" : "o[\(index)]"
                text += "d:async { \(body)\(member.isInGroup ? ", group = g" : "") }\n"
            }
            guard let queue = member.queue else { continue }
            text += "q[\(queue)]:\(member.isBarrier ? "addBarrierBlock" : "addOperation")(o[\(index)])\n"
        }
        for (index, member) in members.enumerated() where member.queue != nil || member.isDispatched {
            text += wait("o\(index)") + "\n"
        }
        return text + "print 'over'\n"
    }

    private func wait(_ target: String?) -> String {
        guard let target else { return "" }
        if target == "gate" { return "wait('gate', await, gate)" }
        if target == "group" { return "wait('', g.wait, g)" }
        if target == "semaphore" { return "wait('', s.wait, s)" }
        if target == "sync" { return "wait('', d.sync, d, function() end)" }
        if target == "item" { return "wait('', w.wait, w)" }
        let number = target.dropFirst()
        return target.hasPrefix("o")
            ? "wait('', o[\(number)].waitUntilFinished, o[\(number)])"
            : "wait('', q[\(number)].waitUntilAllOperationsAreFinished, q[\(number)])"
    }

    // MARK: Whether it is true

    /// The fault of a diagnosis; nil if it is right.
    func problem(with sentence: String, endsEarly: Bool) -> String? {
        let refused = "'sync' would wait for ever: this body runs on the serial queue 'd' itself; "
        if sentence.hasPrefix(refused) {
            let isTrue = members.contains { $0.isDispatched && $0.waits == "sync" }
            return isTrue ? nil : "no body of the queue calls 'sync'"
        }
        // The colon of `'a' waits: the semaphore …` does not end the reason.
        let sentence = sentence.replacing("' waits: ", with: "' waits, since ")
        guard let end = sentence.firstRange(of: ": ") else {
            return problem(withReason: sentence, after: nil)
        }
        let reason = String(sentence[..<end.lowerBound])
        let links = sentence[end.upperBound...].split(separator: "; ").map(String.init)
        var ends: [(from: String, to: String)] = []
        for link in links {
            guard let step = step(link) else { return "'\(link)' is not true" }
            if let last = ends.last, last.to != step.from { return "the chain is broken before '\(link)'" }
            ends.append(step)
        }
        guard let first = ends.first, let last = ends.last else { return "there is no chain" }
        if let match = reason.wholeMatch(
            of: /this wait is inside '(\w+)', which '(\w+)' itself is waiting for/
        ) {
            return match.1 == match.2 && first.from == match.1 && last.to == match.1
                ? nil : "the chain is not a cycle"
        }
        if let match = reason.wholeMatch(of: /'(\w+)' waits for itself/) {
            let isCircle = ends.contains { $0.from == match.1 } && last.to == match.1
            return isCircle || endsEarly ? nil : "the chain is not a cycle"
        }
        return problem(withReason: reason, after: endsEarly ? nil : last.to)
    }

    /// The reason at the end of a chain.
    private func problem(withReason reason: String, after last: String?) -> String? {
        let isTrue: Bool
        if let match = reason.wholeMatch(
            of: /queue 'q(\d)' is suspended and nothing is left that could resume it/
        ) {
            isTrue =
                Int(match.1).map { suspended.contains($0) && (last == nil || queue(of: last) == $0) } ?? false
        } else if let match = reason.wholeMatch(of: /queue 'q(\d)' has maxConcurrentOperationCount 0/) {
            isTrue = Int(match.1).map { widths[$0] == 0 && (last == nil || queue(of: last) == $0) } ?? false
        } else if let match = reason.wholeMatch(
            of: /'(\w+)' waits for '(\w+)', which was never added to a queue/
        ) {
            isTrue =
                isNowhere(String(match.2)) && (last == nil || last == String(match.1))
                && waitsFor(String(match.1), String(match.2))
        } else if let match = reason.wholeMatch(of: /'(\w+)' was never added to a queue/) {
            isTrue = isNowhere(String(match.1))
        } else if let match = reason.wholeMatch(
            of: /'(\w+)' waits for the gate 'door', which nothing is left to end/
        ) {
            isTrue = member(String(match.1))?.waits == "gate" && (last == nil || last == String(match.1))
        } else if let match = reason.wholeMatch(
            of: /this wait is inside '(\w+)', which '(\w+)' itself is waiting for/
        ) {
            isTrue = match.1 == match.2 && waits(String(match.1), String(match.1))
        } else if let match = reason.wholeMatch(
            of:
                /(?:'(\w+)' waits, since )?the semaphore made at job:\d+ has no signal, .* that could give one/
        ) {
            let waiter = match.1.map(String.init)
            isTrue =
                waiter.map { member($0)?.waits == "semaphore" && (last == nil || last == $0) }
                ?? (last == nil)
        } else {
            isTrue = reason == "nothing is left that could end the gate 'door'"
        }
        return isTrue ? nil : "the reason is not true"
    }

    /// The two operations of a step that is true; nil if the step is not.
    private func step(_ link: String) -> (from: String, to: String)? {
        if let match = link.wholeMatch(of: /'(\w+)' depends on '(\w+)'/) {
            let (from, to) = (String(match.1), String(match.2))
            return member(from)?.dependencies.contains(to) ?? false ? (from, to) : nil
        }
        if let match = link.wholeMatch(of: /'(\w+)' waits for '(\w+)'/) {
            let (from, to) = (String(match.1), String(match.2))
            return waits(from, to) ? (from, to) : nil
        }
        // The function that `sync` adds is an operation without a name of its own.
        if let match = link.wholeMatch(of: /'(\w+)' waits for 'sync' \(job:\d+\)/) {
            return member(String(match.1))?.waits == "sync" ? (String(match.1), "sync") : nil
        }
        if let match = link.wholeMatch(
            of: /'sync' \(job:\d+\) waits for '(\w+)', which is before it in queue 'd'/
        ) {
            return member(String(match.1))?.isDispatched ?? false ? ("sync", String(match.1)) : nil
        }
        let turn =
            /'(\w+)' waits for (?:its turn in the queue 'd', which '(\w+)' holds|'(\w+)', which is before it in queue 'd')/
        if let match = link.wholeMatch(of: turn) {
            let (from, to) = (String(match.1), String(match.2 ?? match.3 ?? ""))
            let areInIt = [from, to].allSatisfy { member($0)?.isDispatched ?? false }
            return areInIt && to < from ? (from, to) : nil
        }
        if let match = link.wholeMatch(
            of: /'(\w+)' waits for queue '(q\d)', in which '(\w+)' has not finished/
        ) {
            let (from, to) = (String(match.1), String(match.3))
            return member(from)?.waits == String(match.2) && "q\(queue(of: to) ?? 9)" == match.2
                ? (from, to) : nil
        }
        let slot =
            /'(\w+)' waits for a slot of queue 'q(\d)' \(maxConcurrentOperationCount (\d+)\), which '(\w+)' holds.*/
        if let match = link.wholeMatch(of: slot) {
            let (from, to) = (String(match.1), String(match.4))
            guard let queue = Int(match.2), queue == self.queue(of: from), queue == self.queue(of: to) else {
                return nil
            }
            return String(widths[queue]) == match.3 ? (from, to) : nil
        }
        if let match = link.wholeMatch(
            of: /'(\w+)' waits for the resource 'r', which (?:is kept for )?'(\w+)'.*/
        ) {
            let (from, to) = (String(match.1), String(match.2))
            return member(from)?.needsResource ?? false && member(to)?.needsResource ?? false
                ? (from, to) : nil
        }
        let barrier =
            /'(\w+)' waits for '(\w+)', which is before it in queue 'q(\d)', with a barrier between them/
        if let match = link.wholeMatch(of: barrier) {
            let (from, to) = (String(match.1), String(match.2))
            guard let queue = Int(match.3), queue == self.queue(of: from), queue == self.queue(of: to) else {
                return nil
            }
            return members.contains { $0.isBarrier && $0.queue == queue && to <= $0.name && $0.name <= from }
                ? (from, to) : nil
        }
        return nil
    }

    private func waitsFor(_ from: String, _ to: String) -> Bool {
        (member(from)?.dependencies.contains(to) ?? false) || waits(from, to)
    }

    /// Whether the body of an operation waits for another one: for itself, its group, or its work item.
    private func waits(_ from: String, _ to: String) -> Bool {
        guard let waits = member(from)?.waits, let other = member(to) else { return false }
        return waits == to || waits == "group" && other.isInGroup || waits == "item" && other.isItem
    }

    /// Whether an operation is in no queue.
    private func isNowhere(_ name: String) -> Bool {
        member(name).map { $0.queue == nil && !$0.isDispatched } ?? false
    }

    private func member(_ name: String) -> Member? { members.first { $0.name == name } }
    private func queue(of name: String?) -> Int? { name.flatMap(member)?.queue }
}
