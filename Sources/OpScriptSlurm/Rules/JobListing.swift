internal import OpScript

/// One line of `squeue`: a job, or the elements of an array that have not begun.
struct JobListing: Equatable {
    /// The fields that `squeue` is asked for.
    static let format = "JobArrayID:|,State:|,RestartCnt:|,NodeList:|,Comment:|,Reason:|"

    /// The number of the array.
    var job: String
    /// The places in the array.
    var indices: Indices
    let state: String
    /// Whether it will not run any more.
    let isOver: Bool
    var restarts: Int
    var node: String
    /// The batch of this run; nil for another job.
    var batch: Int?
    /// The pilot of this run, if it is one.
    var pilot: Int?
    /// Why it waits, in Slurm's words.
    var reason: String

    init(
        job: String,
        indices: Indices,
        state: String,
        restarts: Int,
        node: String,
        batch: Int?,
        reason: String
    ) {
        (self.job, self.indices, self.state, self.restarts) = (job, indices, state, restarts)
        (self.node, self.batch, self.reason) = (node, batch, reason)
        isOver = Self.isOver(state)
    }

    /// A pilot that waits for a node.
    init(waitingPilot pilot: Int) {
        self.init(
            job: "pilot\(pilot)",
            indices: .one(0),
            state: "PENDING",
            restarts: 0,
            node: "",
            batch: nil,
            reason: "Resources"
        )
        self.pilot = pilot
    }

    /// nil for a line of another form.
    init?(line: Substring) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 6 else { return nil }
        let parts = fields[0].split(maxSplits: 1) { $0 == "_" }
        guard let first = parts.first else { return nil }
        job = String(first)
        indices = parts.count == 2 ? Indices(parts[1]) : .one(0)
        state = fields[1]
        isOver = Self.isOver(fields[1])
        restarts = Int(fields[2]) ?? 0
        node = fields[3]
        batch = Int(fields[4])
        if fields[4].hasPrefix("pilot") { pilot = Int(fields[4].dropFirst(5)) }
        reason = fields[5...].joined(separator: "|")
        while reason.hasSuffix("|") { reason.removeLast() }
    }

    /// All lines of an output.
    static func read(_ output: String) -> [JobListing] {
        output.split(separator: "\n").compactMap { JobListing(line: $0) }
    }

    /// Places in an array: most lines are about one.
    enum Indices: Equatable {
        case one(Int)
        case several([Int])

        /// `7`, or `[0-4,9%2]`: ranges, and a limit of how many run at once.
        init(_ text: Substring) {
            let places = Self.places(text)
            self = places.count == 1 ? .one(places[0]) : .several(places)
        }

        var all: [Int] {
            switch self {
            case .one(let place): [place]
            case .several(let places): places
            }
        }

        private static func places(_ text: Substring) -> [Int] {
            var text = text
            if text.hasPrefix("[") { text.removeFirst() }
            if text.hasSuffix("]") { text.removeLast() }
            if let limit = text.firstIndex(of: "%") { text = text[..<limit] }
            return text.split(separator: ",").flatMap { range -> [Int] in
                let parts = range.split { $0 == ":" }
                let ends = (parts.first ?? "").split { $0 == "-" }.compactMap { Int($0) }
                let step = parts.count == 2 ? Int(parts[1]) ?? 1 : 1
                switch ends.count {
                case 1: return ends
                case 2 where ends[0] <= ends[1] && step > 0 && ends[1] - ends[0] < 1 << 22:
                    return Array(stride(from: ends[0], through: ends[1], by: step))
                default: return []
                }
            }
        }
    }

    private static func isOver(_ state: String) -> Bool { !livingStates.contains(state) }

    private static let livingStates: Set<String> = [
        "PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD",
        "REQUEUE_FED", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SPECIAL_EXIT", "RESV_DEL_HOLD",
    ]

    /// Whether Slurm says that it can never start it as it is.
    var isImpossible: Bool { state == "PENDING" && Self.finalReasons.contains(reason) }

    /// Whether Slurm has begun it, has failed to, and will not try again until a person says so.
    var isHeldByFailure: Bool {
        !isOver && state != "RUNNING" && restarts > 0
            && reason.lowercased().split(whereSeparator: { $0 == "_" || $0 == " " }).starts(with: [
                "launch", "failed",
            ])
    }

    private static let finalReasons: Set<String> = [
        "PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit", "BadConstraints", "AccountNotAllowed",
        "QOSNotAllowed", "InvalidAccount", "InvalidQOS", "DependencyNeverSatisfied",
    ]

    /// Where it is.
    var place: ClusterPlace {
        switch state {
        case "PENDING": .waiting(reason.isEmpty || reason == "None" ? "pending" : "pending (\(reason))")
        case "RUNNING", "COMPLETING": .running(node: node)
        case "SUSPENDED", "STOPPED": .suspended(node: node)
        default: .waiting(node.isEmpty ? state.lowercased() : "\(state.lowercased()) on \(node)")
        }
    }
}
