/// Names that people guess because other tools have them, with the names to write instead.
///
/// The letters of a guess are too different for ``nearestName(to:among:)`` to find the right name: `width` for
/// `maxConcurrentOperationCount`.
enum GuessedNames {
    /// The candidate that a guess stands for; nil if the table does not have it for any of these candidates.
    static func meant(by name: String, among candidates: some Sequence<String>) -> String? {
        guard let names = answers[name.lowercased()] else { return nil }
        let candidates = Set(candidates)
        return names.first { candidates.contains($0) }
    }

    private static let answers: [String: [String]] = {
        var answers: [String: [String]] = [:]
        for (guesses, names) in table {
            let names = names.split(separator: " ").map(String.init)
            for guess in guesses.split(separator: " ") { answers[guess.lowercased()] = names }
        }
        return answers
    }()

    /// Guesses and answers, separated by blanks. Upper and lower case count as the same in a guess. Of the answers,
    /// the first that exists at the place counts: in a `retry` table `retries` means `attempts`, elsewhere `retry`.
    static let table: [(guesses: String, names: String)] = [
        // Operations
        ("retries tries maxRetries retryCount numRetries", "attempts retry"),
        ("maxAttempts count", "attempts"),
        ("maxDelay", "maximumDelay"),
        ("deadline timeLimit maxTime", "timeout"),
        ("onComplete onCompletion onDone onFinish onEnd completion completionHandler", "completionBlock"),
        ("then then_ andThen", "completionBlock"),
        ("onCancel cancellationHandler", "cancelled"),
        ("dependsOn depends requires prerequisites", "dependencies"),
        ("dependOn addDependencies", "addDependency"),
        ("body func fn callback handler", "main block"),
        ("ignoreFailure ignoreErrors canFail optional continueOnError", "allowsFailure"),
        ("qos", "qualityOfService"),
        ("status", "state"),
        ("value returnValue", "result"),
        ("exception reason", "error"),
        ("stop abort kill", "cancel invalidate"),
        ("run execute", "start"),
        ("title", "name label"),
        ("label", "name"),
        // Queues
        (
            "width concurrency maxConcurrency concurrencyLimit parallelism workers",
            "maxConcurrentOperationCount limit"
        ),
        ("limit jobs", "maxConcurrentOperationCount"),
        ("suspended paused", "isSuspended"),
        ("add submit push enqueue", "addOperation async"),
        ("addAll", "addOperations"),
        ("wait join", "waitUntilFinished waitUntilAllOperationsAreFinished"),
        ("delay startAfter", "after"),
        ("startAt", "at"),
        // Timers
        ("every period", "interval repeating"),
        // Works of the command
        ("dir directory folder workingDirectory", "cwd"),
        ("environment variables", "env"),
        ("stdin", "input"),
        ("stdout", "output"),
        ("file outputFile saveTo", "to"),
    ]
}
