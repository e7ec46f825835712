/// How much ran, was ready and had finished, at moments of a run: dense now, and less so in the past.
struct LiveLoad {
    struct Sample: Equatable {
        var moment: Int64
        var running: Int
        var ready: Int
        var finished: Int
        fileprivate(set) var sequence = 0
    }

    static let most = 2048

    private var samples: [Sample] = []
    private(set) var newest = 0

    mutating func append(_ sample: Sample) {
        newest += 1
        samples.append(sample)
        samples[samples.count - 1].sequence = newest
        guard samples.count > Self.most else { return }
        let half = samples.count / 2
        let rest = samples[half...]
        samples = stride(from: 0, to: half, by: 2).map { samples[$0] } + rest
    }

    /// Those after a number.
    func since(_ sequence: Int) -> ArraySlice<Sample> {
        var place = samples.count
        while place > 0, samples[place - 1].sequence > sequence { place -= 1 }
        return samples[place...]
    }

    /// How many operations finish in a second: over the last second, or over the run as long as that is shorter.
    ///
    /// - Parameters:
    ///   - finished: How many have finished by now.
    ///   - moment: Now.
    func rate(of finished: Int, at moment: Int64) -> Double {
        let before = samples.last { $0.moment <= moment - 1_000_000_000 }
        let time = moment - (before?.moment ?? 0)
        return time > 0 ? Double(finished - (before?.finished ?? 0)) * 1e9 / Double(time) : 0
    }
}
