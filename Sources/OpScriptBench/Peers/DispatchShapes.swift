internal import Dispatch

extension Shape {
    /// libdispatch: blocks on a global queue, and a group to wait for them.
    static let dispatch: [Shape] = [
        .timed("dispatch.independent") { n, tally in
            let queue = DispatchQueue.global()
            let group = DispatchGroup()
            for _ in 0..<n { queue.async(group: group) { tally.add() } }
            group.wait()
        }
    ]
}
