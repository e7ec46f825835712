import Testing

@testable import Scheduling

/// Queues that another executor runs: the machine offers operations, and learns which one's turn has come.
@Suite struct ExternalTests {
    private let bench = MachineBench()
    private let queue: QueueID
    private var moves: Bool { bench.machine.movesElsewhere }

    init() {
        queue = bench.machine.externalQueueCreated()
    }

    @Test func `a ready operation is offered, and starts when its turn has come`() throws {
        try bench.add("a", to: queue)
        #expect(
            bench.happened() == ["external added(Scheduling.OperationPriority.normal) a", "external ready a"]
        )
        #expect(bench.state("a") == .ready && bench.take() == nil)
        #expect(moves)
        #expect(bench.feed { $0.externalTicketCame(bench.id("a")) } == .worker)
        #expect(bench.state("a") == .executing && moves)
        #expect(bench.feed { $0.externalTicketCame(bench.id("a")) } == nil)
        bench.end("a")
        #expect(bench.happened() == ["start a", "end a succeeded", "external left(isForGood: true) a"])
        #expect(!moves)
    }

    @Test func `a dependent operation is added at once and offered later`() throws {
        bench.make("a")
        bench.make("b")
        try bench.wire("b", after: "a")
        try bench.put(["b"], into: queue)
        #expect(bench.happened().count == 1 && !moves)
        #expect(bench.feed { $0.externalTicketCame(bench.id("b")) } == nil)
        try bench.put(["a"], into: bench.queue())
        bench.take()
        bench.end("a")
        #expect(bench.happened().last == "external ready b")
    }

    @Test func `a dependency that comes late takes the offer back`() throws {
        try bench.add("a", to: queue)
        bench.make("late")
        _ = bench.happened()
        try bench.wire("a", after: "late")
        #expect(
            bench.happened() == [
                "external left(isForGood: false) a", "external added(Scheduling.OperationPriority.normal) a",
            ]
        )
        #expect(bench.feed { $0.externalTicketCame(bench.id("a")) } == nil)
        bench.feed { _ = $0.dependencyRemoved(bench.id("a"), on: bench.id("late")) }
        #expect(bench.happened() == ["external ready a"])
    }

    @Test func `cancelled before its turn it leaves; cancelled later its body is notified`() throws {
        try bench.add("ab", to: queue)
        bench.feed { _ = $0.externalTicketCame(bench.id("b")) }
        _ = bench.happened()
        bench.cancel("a")
        #expect(
            bench.happened() == [
                "end a cancelled", "external cancelled a", "external left(isForGood: true) a",
            ]
        )
        bench.cancel("b")
        #expect(bench.happened() == ["external cancelled b", "tell b"])
        bench.end("b")
        #expect(bench.outcome("b") == .cancelled)
    }

    @Test func `another attempt is another turn`() throws {
        bench.make("a") { $0.retry = RetryPolicy(attempts: 2) }
        try bench.put(["a"], into: queue)
        bench.feed { _ = $0.externalTicketCame(bench.id("a")) }
        _ = bench.happened()
        bench.fail("a")
        #expect(
            bench.happened() == [
                "retrying a", "external left(isForGood: false) a",
                "external added(Scheduling.OperationPriority.normal) a", "external ready a",
            ]
        )
        bench.feed { _ = $0.externalTicketCame(bench.id("a")) }
        bench.end("a")
        #expect(bench.outcome("a") == .succeeded)
    }

    @Test func `resources are taken with the offer and given back at the end`() throws {
        bench.feed { $0.resourceTotalChanged("gpu", to: 1) }
        bench.make("a")
        bench.make("b")
        for name in ["a", "b"] { try bench.put(name, into: queue) { $0.resources = [("gpu", 1)] } }
        #expect(!bench.happened().contains("external ready b"))
        bench.feed { _ = $0.externalTicketCame(bench.id("a")) }
        bench.end("a")
        #expect(bench.happened().last == "external ready b")
        bench.cancel("b")
        #expect(bench.outcome("b") == .cancelled)
    }

    @Test func `a group and a Lua body take their turn, too`() throws {
        let inner = bench.group("g")
        try bench.add("x", to: inner)
        bench.make("lua", lane: .reader)
        try bench.put(["g", "lua"], into: queue)
        #expect(bench.take() == nil)
        bench.feed { _ = $0.externalTicketCame(bench.id("g")) }
        #expect(bench.take() == "x")
        bench.end("x")
        #expect(bench.outcome("g") == .succeeded)
        _ = bench.happened()
        bench.feed { _ = $0.externalTicketCame(bench.id("lua")) }
        #expect(bench.happened() == ["start lua", "externalTicket lua"])
        #expect(!moves)
    }
}
