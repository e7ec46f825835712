/// The answer of a command of Slurm that did not do what it was asked.
struct SlurmRefusal: Equatable {
    enum Kind: Equatable {
        /// Asking again is of no use.
        case final
        /// It was not done, and may be done later.
        case busy
        /// It may have been done: the answer did not come.
        case doubtful
    }

    let kind: Kind
    /// Slurm's own words.
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// Reads what a command wrote to its standard error.
    init(command: String, status: Int32, errorOutput: String) {
        var lines = errorOutput.split(separator: "\n").map { line -> String in
            for prefix in ["\(command): error: ", "\(command): fatal: ", "\(command): "]
            where line.hasPrefix(prefix) {
                return String(line.dropFirst(prefix.count))
            }
            return String(line)
        }
        lines.removeAll { $0.isEmpty || $0.hasPrefix("Warning:") || $0.hasPrefix("warning:") }
        let text =
            lines.isEmpty ? "\(command) ended with status \(status)" : lines.suffix(3).joined(separator: "; ")
        let lower = text.lowercased()
        func says(_ words: [String]) -> Bool { words.contains { lower.contains($0) } }
        // A program that was killed, because it did not answer for long, may have done its work.
        if status >= 128 || says(["socket timed out", "zero bytes were transmitted", "connection reset"]) {
            self.init(.doubtful, text)
        } else if says([
            "unable to contact slurm controller", "rate limit", "try again", "temporarily",
            "connection refused",
            "slow down", "too many", "backup controller", "in standby mode", "resource busy",
        ]) {
            self.init(.busy, text)
        } else if command == "srun",
            !says(["invalid", "not permitted", "not available", "no such", "unable to allocate"])
        {
            // A pilot that Slurm has allowed, and that ended too soon.
            self.init(.busy, text)
        } else {
            self.init(.final, text)
        }
    }
}
