import Scheduling

func time(_ name: String, _ n: Int, _ body: () throws -> Void) rethrows {
    let clock = ContinuousClock()
    let d = try clock.measure(body)
    let ns = Double(d.components.seconds) * 1e9 + Double(d.components.attoseconds) / 1e9
    print("\(name): \(Int(ns / Double(n))) ns/op")
}
let scheduler = Scheduler()
let queue = ScheduledQueue(scheduler)
for n in [10_000, 1_000_000] {
    time("independent one by one", n) {
        for _ in 0..<n { queue.add {} }
        queue.waitUntilAllOperationsAreFinished()
    }
    try time("batch", n) {
        let ops = (0..<n).map { _ in ScheduledOperation(scheduler) { () throws in } }
        try queue.add(ops)
        queue.waitUntilAllOperationsAreFinished()
    }
    try time("chain", n) {
        let ops = (0..<n).map { _ in ScheduledOperation(scheduler) { () throws in } }
        for i in 1..<n { try ops[i].addDependency(ops[i - 1]) }
        try queue.add(ops)
        queue.waitUntilAllOperationsAreFinished()
    }
    try time("fan", n) {
        let ops = (0..<n).map { _ in ScheduledOperation(scheduler) { () throws in } }
        let sink = ScheduledOperation(scheduler) { () throws in }
        for i in 0..<n { try sink.addDependency(ops[i]) }
        try queue.add(ops + [sink])
        queue.waitUntilAllOperationsAreFinished()
    }
}
