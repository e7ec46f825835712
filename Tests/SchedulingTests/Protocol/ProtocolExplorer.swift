@testable import Scheduling

/// Explores all courses of a job, the shortest first.
///
/// A course is a sequence of choices and is replayed from the start, on a new scheduler. A state that was
/// reached before is not continued.
struct ProtocolExplorer {
    /// A course that broke the rule.
    struct Counterexample: CustomStringConvertible {
        var job: String
        var steps: [String]
        var violation: ProtocolRun.Violation

        var description: String {
            let lines = steps.enumerated().map { "\($0 + 1). \($1)" }
            return (["\(job), \(steps.count) steps:"] + lines + ["\(violation)."]).joined(separator: "\n")
        }
    }

    struct Report {
        var stateCount = 0
        var stepCount = 0
        /// The longest of the shortest courses to a state.
        var depth = 0
        /// Courses that ended.
        var endCount = 0
        /// Whether all states were continued.
        var isComplete = true
        var counterexample: Counterexample?
        /// States with equal fingerprints and different continuations: the fingerprint leaves something out.
        var confused: [String] = []
    }

    private struct Node {
        var parent: Int32
        var choice: UInt8
    }

    let job: ProtocolJob
    var defect: PlantedDefect?
    /// How many states are continued at most.
    var stateLimit = Int.max
    /// How many steps a course has at most.
    var depthLimit = Int.max
    /// Of this many states that are reached again, one is still continued by one step, to check that it is
    /// the same; 0 for none.
    var fingerprintInterval = 0

    private func run(along path: [UInt8]) -> ProtocolRun {
        var run = ProtocolRun(job, planting: defect)
        for choice in path { run.take(run.steps[Int(choice)]) }
        return run
    }

    /// The fingerprints of all states that follow.
    private func successors(of path: [UInt8]) -> [UInt64] {
        let count = run(along: path).steps.count
        return (0..<count).map { run(along: path + [UInt8($0)]).fingerprint }
    }

    func explore() -> Report {
        var report = Report()
        var nodes = [Node(parent: -1, choice: 0)]
        var known: [UInt64: Int32] = [run(along: []).fingerprint: 0]
        var next = 0
        var repetitions = 0
        while next < nodes.count {
            if next >= stateLimit {
                report.isComplete = false
                break
            }
            let path = path(to: next, nodes)
            if path.count >= depthLimit { break }
            report.depth = max(report.depth, path.count)
            let count = run(along: path).steps.count
            if count == 0 { report.endCount += 1 }
            for choice in 0..<count {
                var child = run(along: path)
                child.take(child.steps[choice])
                report.stepCount += 1
                // Before the rule is checked, which drops stale entries: no later course has them.
                let print = child.fingerprint
                if let other = known[print] {
                    repetitions += 1
                    if fingerprintInterval > 0, repetitions % fingerprintInterval == 0 {
                        let others = self.path(to: Int(other), nodes)
                        if Set(successors(of: others)) != Set(successors(of: path + [UInt8(choice)])) {
                            report.confused.append("\(others) and \(path + [UInt8(choice)])")
                        }
                    }
                    continue
                }
                if let violation = child.violation {
                    report.counterexample = counterexample(path + [UInt8(choice)], violation)
                    report.stateCount = known.count
                    return report
                }
                known[print] = Int32(nodes.count)
                nodes.append(Node(parent: Int32(next), choice: UInt8(choice)))
            }
            next += 1
        }
        report.stateCount = known.count
        return report
    }

    private func path(to node: Int, _ nodes: [Node]) -> [UInt8] {
        var path: [UInt8] = []
        var node = node
        while nodes[node].parent >= 0 {
            path.append(nodes[node].choice)
            node = Int(nodes[node].parent)
        }
        path.reverse()
        return path
    }

    private func counterexample(_ path: [UInt8], _ violation: ProtocolRun.Violation) -> Counterexample {
        var run = ProtocolRun(job, planting: defect)
        var steps: [String] = []
        for choice in path {
            let step = run.steps[Int(choice)]
            let words = run.words(step)
            run.take(step)
            steps.append("\(words). Now: \(run.state)")
        }
        return Counterexample(job: job.name, steps: steps, violation: violation)
    }
}
