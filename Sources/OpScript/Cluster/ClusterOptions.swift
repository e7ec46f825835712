internal import LuaVM

/// How and where operations run on a cluster: the options of a queue, and those of one operation.
package struct ClusterOptions: Sendable, Hashable {
    /// The partition; nil for the cluster's own choice, here and below.
    package var partition: String?
    package var account: String?
    /// The quality of service of the cluster.
    package var qos: String?
    /// The time that a job may take, in seconds.
    package var time: Double?
    /// Cores for one operation.
    package var cpus: Int?
    /// Memory of a node, as Slurm writes it: `2G`.
    package var memory: String?
    package var nodes: Int?
    /// Generic resources, as Slurm writes them: `gpu:1`.
    package var gres: String?
    package var licenses: String?
    /// Further arguments of Slurm's commands.
    package var arguments: [String] = []
    /// Jobs that take one operation after the other; nil if each operation is a job of its own.
    package var pilots: Pilots?
    /// How many times a second the cluster's controller is asked to take jobs, at most.
    package var submitRate = 2.0

    /// Jobs that take one operation after the other.
    package struct Pilots: Sendable, Hashable {
        package var min = 0
        package var max = 1
        /// Seconds without an operation after which one ends.
        package var idle = 30.0

        package init() {}
    }

    /// No options.
    package init() {}

    /// Takes over what the options of one operation say.
    mutating func merge(_ own: ClusterOptions) {
        partition = own.partition ?? partition
        account = own.account ?? account
        qos = own.qos ?? qos
        time = own.time ?? time
        cpus = own.cpus ?? cpus
        memory = own.memory ?? memory
        nodes = own.nodes ?? nodes
        gres = own.gres ?? gres
        licenses = own.licenses ?? licenses
        arguments += own.arguments
    }
}

/// A queue's place on a cluster.
struct ClusterQueue {
    /// The name by which scripts choose it: `slurm`.
    let name: String
    let executor: any RemoteExecutor
    var options = ClusterOptions()
}

extension ClusterOptions {
    /// The names of the options that queues and operations have.
    static let names = [
        "partition", "account", "qos", "time", "cpus", "memory", "nodes", "gres", "licenses", "arguments",
    ]
    /// The names of those that only queues have.
    static let namesOfQueues = ["pilots", "submitRate"]

    /// Reads the table at an index; no other option may be in it.
    init(reading runtime: ScriptRuntime, _ state: LuaState, _ index: Int32, of what: String)
        throws(LuaRaise)
    {
        let options = OptionTable(runtime, state, index, of: what)
        try self.init(options, runtime, state)
        try options.refuseOthers()
    }

    /// Reads the options of an operation.
    init(_ options: OptionTable, _ runtime: ScriptRuntime, _ state: LuaState) throws(LuaRaise) {
        partition = try options.word("partition")
        account = try options.word("account")
        qos = try options.word("qos")
        time = try options.seconds("time")
        if let time, time <= 0 {
            throw LuaRaise(
                .argument,
                "bad value for 'time' (a number of seconds above 0 expected, got \(format(seconds: time)))"
            )
        }
        cpus = try options.wholeNumber("cpus", atLeast: 1)
        if let cpus, cpus > 1_000_000 {
            throw LuaRaise(.argument, "bad value for 'cpus' (at most 1000000 expected, got \(cpus))")
        }
        memory = try options.memory(state)
        nodes = try options.wholeNumber("nodes", atLeast: 1)
        gres = try options.word("gres")
        licenses = try options.word("licenses")
        arguments = try options.words("arguments", state)
    }

    /// A pilot runs one body after the other, on one node.
    func refuseManyNodes() throws(LuaRaise) {
        guard let nodes, nodes > 1 else { return }
        throw LuaRaise(
            .argument,
            "bad value for 'nodes' (a pilot has one node, got \(nodes); without 'pilots', a job may have several)"
        )
    }

    /// Reads the options of a queue.
    init(ofQueue options: OptionTable, _ runtime: ScriptRuntime, _ state: LuaState) throws(LuaRaise) {
        try self.init(options, runtime, state)
        if options.push("pilots") {
            defer { state.pop() }
            guard state.isTable(-1) else { throw options.mismatch("pilots", "table") }
            pilots = try Pilots(OptionTable(runtime, state, -1, of: "pilots"))
        }
        if pilots != nil { try refuseManyNodes() }
        if let rate = try options.number("submitRate") {
            guard rate > 0, rate.isFinite else {
                throw LuaRaise(
                    .argument,
                    "bad value for 'submitRate' (a number above 0 expected, got \(format(seconds: rate)))"
                )
            }
            submitRate = rate
        }
    }
}

extension ClusterOptions.Pilots {
    init(_ options: OptionTable) throws(LuaRaise) {
        self.init()
        min = try options.wholeNumber("min", atLeast: 0) ?? 0
        max = try options.wholeNumber("max", atLeast: 1) ?? Swift.max(1, min)
        idle = try options.seconds("idle", atLeast: 0) ?? idle
        guard min <= max else {
            throw LuaRaise(
                .argument,
                "bad value for 'min' (at most 'max' expected, which is \(max), got \(min))"
            )
        }
        try options.refuseOthers()
    }
}

extension OptionTable {
    /// A text that is one argument of a command, and cannot be taken for an option.
    fileprivate func word(_ name: String) throws(LuaRaise) -> String? {
        guard let text = try string(name) else { return nil }
        guard !text.isEmpty, !text.utf8.contains(where: { $0 <= 0x20 }) else {
            throw LuaRaise(
                .argument,
                "bad value for '\(name)' (a name without blanks expected, got '\(text)')"
            )
        }
        return text
    }

    fileprivate func words(_ name: String, _ state: LuaState) throws(LuaRaise)
        -> [String]
    {
        guard push(name) else { return [] }
        defer { state.pop() }
        guard state.isTable(-1) else { throw mismatch(name, "list of strings") }
        var words: [String] = []
        for place in stride(from: 1, through: state.rawLength(-1), by: 1) {
            defer { state.pop() }
            guard state.rawGet(-1, place) == .string, let word = state.string(-1) else {
                throw mismatch(name, "list of strings")
            }
            if Self.isOwn(word) {
                throw LuaRaise(.argument, "bad value for '\(name)' ('\(word)' is set by OpScript itself)")
            }
            words.append(word)
        }
        return words
    }

    /// Whether a word is an option on which OpScript relies, perhaps cut as Slurm's commands allow.
    private static func isOwn(_ word: String) -> Bool {
        if word.hasPrefix("--") {
            let option = word.prefix { $0 != "=" }
            return option.count > 3 && ownOptions.contains { $0.hasPrefix(option) }
        }
        return word.hasPrefix("-") && ownOptions.contains(String(word.prefix(2)))
    }

    /// Options of Slurm's commands on which OpScript relies.
    private static let ownOptions: Set<String> = [
        "-J", "--job-name", "--comment", "-a", "--array", "-o", "--output", "-i", "--input", "--open-mode",
        "--wrap",
        "--parsable", "--test-only", "-W", "--wait", "--requeue", "--no-requeue", "-n", "--ntasks", "--pty",
        "-Q",
        "--quiet", "-M", "--clusters", "-l", "--label", "-u", "--unbuffered",
    ]

    /// `"2G"` as Slurm writes it, or a number of bytes.
    fileprivate func memory(_ state: LuaState) throws(LuaRaise) -> String? {
        guard push("memory") else { return nil }
        defer { state.pop() }
        if state.type(-1) == .number {
            guard let bytes = state.wholeNumber(-1), bytes > 0 else {
                throw LuaRaise(
                    .argument,
                    "bad value for 'memory' (a whole number of bytes above 0 expected, got \(state.summary(-1)))"
                )
            }
            return "\((bytes + 1023) / 1024)K"
        }
        guard state.type(-1) == .string, let text = state.string(-1) else {
            throw mismatch("memory", "string like '2G', or number of bytes,")
        }
        let digits = text.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !digits.isEmpty, ["", "K", "M", "G", "T"].contains(text.dropFirst(digits.count)) else {
            throw LuaRaise(
                .argument,
                "bad value for 'memory' (digits and K, M, G or T expected, as in '2G', got '\(text)')"
            )
        }
        return text
    }
}
