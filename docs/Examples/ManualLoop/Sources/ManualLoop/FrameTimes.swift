/// How long the scripts of each frame took.
struct FrameTimes {
    private let budget: Duration
    private var times: [Duration] = []

    init(budget: Duration) { self.budget = budget }

    var count: Int { times.count }

    mutating func measure(_ frame: () throws -> Void) rethrows {
        try times.append(ContinuousClock().measure(frame))
    }

    /// How many frames took how long, and how many kept to the budget and half a millisecond.
    var histogram: String {
        let step = 0.5
        var counts: [Int: Int] = [:]
        for time in times { counts[Int(time / .milliseconds(1) / step), default: 0] += 1 }
        var lines = counts.sorted { $0.key < $1.key }.map { bar, count in
            "\(Double(bar) * step) to \(Double(bar + 1) * step) ms: \(count)"
        }
        let within = times.count { $0 <= budget + .milliseconds(0.5) }
        lines.append("within the budget and 0.5 ms: \(within) of \(times.count)")
        lines.append("longest: \(times.max() ?? .zero)")
        return lines.joined(separator: "\n")
    }
}
