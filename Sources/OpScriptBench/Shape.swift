/// A pattern of work that is measured: a number of operations, and the dependencies among them.
struct Shape: Sendable {
    let name: String
    private let body: Body

    /// Does the work of that many operations; all are created and run in it, and freed at its end.
    private enum Body: Sendable {
        case timed(@Sendable (Int, Tally) throws -> Void)
        case timedTask(@Sendable (Int, Tally) async throws -> Void)
        /// Returns the bytes that they held while they waited.
        case weighed(@Sendable (Int, Tally) throws -> Int)
        /// Returns the nanoseconds that one of them waited.
        case waited(@Sendable (Int, Tally) throws -> Int)
    }

    private init(_ name: String, _ body: Body) {
        self.name = name
        self.body = body
    }

    /// A shape that is timed, on the main thread.
    static func timed(_ name: String, _ body: @escaping @Sendable (Int, Tally) throws -> Void) -> Shape {
        Shape(name, .timed(body))
    }

    /// A shape that is timed, as a task.
    static func timedTask(_ name: String, _ body: @escaping @Sendable (Int, Tally) async throws -> Void)
        -> Shape
    {
        Shape(name, .timedTask(body))
    }

    /// A shape whose bytes are counted.
    static func weighed(_ name: String, _ body: @escaping @Sendable (Int, Tally) throws -> Int) -> Shape {
        Shape(name, .weighed(body))
    }

    /// A shape that times the wait of one operation.
    static func waited(_ name: String, _ body: @escaping @Sendable (Int, Tally) throws -> Int) -> Shape {
        Shape(name, .waited(body))
    }

    /// Whether a second run in the same process has a comparable result.
    var canRepeat: Bool {
        if case .weighed = body { return false }
        return true
    }

    /// Nanoseconds or bytes of `n` operations together, or the wait of one.
    ///
    /// - Throws: ``BenchError`` if not all of the work was done.
    @MainActor
    func measure(_ n: Int) async throws -> Int {
        let tally = Tally()
        let clock = ContinuousClock()
        let value: Int
        switch body {
        case .timed(let body): value = try clock.measure { try body(n, tally) }.nanoseconds
        case .timedTask(let body): value = try await clock.measure { try await body(n, tally) }.nanoseconds
        case .weighed(let body), .waited(let body): value = try body(n, tally)
        }
        try tally.check(name, expected: n)
        return value
    }

    /// All shapes: ours first, then those of the peers.
    static let all =
        scheduling + submitting + waits + simulated + [pendingMemory] + engine
        + foundation + dispatch + taskGroup
}

extension Duration {
    /// Rounded down.
    var nanoseconds: Int {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}
