import OpScript
import OpScriptRecord
import Testing

/// The realised path and the bound of a hundred random graphs on virtual time, compared with those of a simple model.
@Suite struct PathModelTests {
    /// A graph of operations that take time, in queues with widths.
    private struct Graph {
        struct Item {
            var seconds: Double
            var queue: Int
            var dependencies: [Int]
        }

        var widths: [Int] = []
        var items: [Item] = []

        init(seed: UInt64) {
            var random = Generator(state: seed)
            widths = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Int.random(in: 1...4, using: &random)
            }
            for number in 0..<Int.random(in: 5...60, using: &random) {
                let count = number == 0 ? 0 : Int.random(in: 0...3, using: &random)
                let others = (0..<count).map { _ in Int.random(in: 0..<number, using: &random) }
                items.append(
                    Item(
                        seconds: Double.random(in: 0.01...5, using: &random),
                        queue: Int.random(in: 0..<widths.count, using: &random),
                        dependencies: Array(Set(others)).sorted()
                    )
                )
            }
        }

        var script: String {
            var lines = ["local q, o = {}, {}"]
            for (place, width) in widths.enumerated() {
                lines.append("q[\(place)] = OperationQueue { maxConcurrentOperationCount = \(width) }")
            }
            for (place, item) in items.enumerated() {
                lines.append("o[\(place)] = work.sleep(\(item.seconds))")
                for other in item.dependencies { lines.append("o[\(place)]:addDependency(o[\(other)])") }
                lines.append("q[\(item.queue)]:addOperation(o[\(place)])")
            }
            for place in widths.indices { lines.append("q[\(place)]:waitUntilAllOperationsAreFinished()") }
            return lines.joined(separator: "\n")
        }
    }

    /// When each item starts and ends, by a list of events only.
    private struct Model {
        var starts: [Int64]
        var ends: [Int64]

        init(_ graph: Graph) {
            let count = graph.items.count
            starts = Array(repeating: .max, count: count)
            ends = Array(repeating: .max, count: count)
            var running = Array(repeating: 0, count: graph.widths.count)
            var isRunning = Array(repeating: false, count: count)
            var now: Int64 = 0
            while ends.contains(.max) || isRunning.contains(true) {
                for (place, item) in graph.items.enumerated() where starts[place] == .max {
                    let isReady = item.dependencies.allSatisfy { ends[$0] <= now && !isRunning[$0] }
                    guard isReady, running[item.queue] < graph.widths[item.queue] else { continue }
                    starts[place] = now
                    ends[place] = now + Int64(item.seconds * 1e9)
                    isRunning[place] = true
                    running[item.queue] += 1
                }
                guard let next = ends.indices.filter({ isRunning[$0] }).map({ ends[$0] }).min() else { break }
                now = next
                for place in ends.indices where isRunning[place] && ends[place] == now {
                    isRunning[place] = false
                    running[graph.items[place].queue] -= 1
                }
            }
        }

        /// The chain back from the last end: each item starts when another one ends.
        func path(_ graph: Graph) -> [Int] {
            var items: [Int] = []
            var next = ends.indices.max { ends[$0] < ends[$1] }
            while let place = next {
                items.append(place)
                let start = starts[place]
                let dependency = graph.items[place].dependencies.first { ends[$0] == start }
                let neighbour = ends.indices.first {
                    ends[$0] == start && graph.items[$0].queue == graph.items[place].queue
                }
                next = dependency ?? neighbour
            }
            return items.reversed()
        }

        /// The longest chain of dependencies by run time.
        func bound(_ graph: Graph) -> Int64 {
            var reach: [Int64] = []
            for item in graph.items {
                reach.append((item.dependencies.map { reach[$0] }.max() ?? 0) + Int64(item.seconds * 1e9))
            }
            return reach.max() ?? 0
        }
    }

    @Test func `paths equal those of a model, add up to the wall time, and are never below the bound`()
        async throws
    {
        for seed in 1...100 as ClosedRange<UInt64> {
            let graph = Graph(seed: seed)
            let model = Model(graph)
            var configuration = ScriptEngine.Configuration()
            configuration.clock = .virtual
            configuration.recordsRuns = true
            let report = try await ScriptEngine(configuration).run(code: graph.script)
            let record = try #require(report.record)
            #expect(record.operations.map { $0.started } == model.starts, "seed \(seed)")
            #expect(record.operations.map { $0.ended } == model.ends, "seed \(seed)")
            let path = record.criticalPath()
            #expect(path.operations == model.path(graph), "seed \(seed)")
            #expect(path.waiting.isEmpty, "seed \(seed)")
            #expect(path.total == record.duration && record.duration == model.ends.max(), "seed \(seed)")
            let bound = record.boundPath()
            #expect(bound.length == model.bound(graph) && bound.length <= record.duration, "seed \(seed)")
        }
    }

    /// Splitmix64.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            return word ^ word >> 31
        }
    }
}
