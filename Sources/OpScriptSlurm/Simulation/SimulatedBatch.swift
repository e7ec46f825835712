/// A job array of a cluster in memory.
///
/// A class, since a batch of a thousand is changed at one place at a time.
final class SimulatedBatch {
    var elements: [SimulatedJob]
    /// Whether Slurm may begin its jobs again by itself.
    let mayRepeat: Bool
    /// How long a job may take; nil for no limit.
    let seconds: Double?

    init(_ numbers: [UInt64], mayRepeat: Bool, seconds: Double?) {
        elements = numbers.map { SimulatedJob(number: $0) }
        self.mayRepeat = mayRepeat
        self.seconds = seconds
    }

    /// Adds the lines of Slurm's list about it.
    ///
    /// - Parameters:
    ///   - own: The batch of the rules: elements that have ended there are left out.
    ///   - nodes: The names of nodes, from that of none on.
    func add(to list: inout [JobListing], _ batch: Int, _ own: SlurmMachine.Batch, _ nodes: [String]) {
        let job = "\(batch)"
        let pending = elements.indices.filter {
            elements[$0].phase == .pending && elements[$0].restarts == 0 && !elements[$0].isForgotten
        }
        if !pending.isEmpty {
            list.append(
                JobListing(
                    job: job,
                    indices: .several(pending),
                    state: "PENDING",
                    restarts: 0,
                    node: "",
                    batch: batch,
                    reason: "Resources"
                )
            )
        }
        for (index, element) in elements.enumerated() where !element.isForgotten {
            if own.calls[index] == nil || element.phase == .pending && element.restarts == 0 { continue }
            list.append(
                JobListing(
                    job: job,
                    indices: .one(index),
                    state: element.state,
                    restarts: element.restarts,
                    node: nodes[element.node],
                    batch: batch,
                    reason: element.phase == .pending ? "Resources" : "None"
                )
            )
        }
    }
}

/// A job of a cluster in memory: one element of an array.
struct SimulatedJob {
    enum Phase: Equatable {
        case pending, running
        /// The final state, in Slurm's words.
        case over(String)
    }

    let number: UInt64
    var phase = Phase.pending
    /// How often Slurm has begun it again.
    var restarts = 0
    /// The node that runs it, or ran it last, from 1; 0 for none.
    var node = 0
    /// Changes whenever something happens to it, so that an event of an earlier attempt is recognised.
    var attempt = 0
    /// Whether Slurm has lost it.
    var isForgotten = false
    /// Whether its worker has ended the body because of its time limit.
    var isTimedOut = false

    var isOver: Bool { phase != .pending && phase != .running }

    /// In Slurm's words.
    var state: String {
        switch phase {
        case .pending: "PENDING"
        case .running: "RUNNING"
        case .over(let state): state
        }
    }

    /// Slurm begins it again.
    mutating func begin() {
        phase = .pending
        restarts += 1
        attempt += 1
    }
}

/// A pilot of a cluster in memory.
struct SimulatedPilot {
    /// Its node; nil while it waits for one.
    var node: Int?
    /// The bodies that it has, the one that it runs first.
    var bodies: [UInt64] = []
    var isClosing = false
}
