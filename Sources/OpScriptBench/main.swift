import Glibc
import Scheduling

func cpu() -> Double {
    var t = timespec(); clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return Double(t.tv_sec) * 1e9 + Double(t.tv_nsec)
}

func time(_ name: String, _ n: Int, _ body: () throws -> Void) rethrows {
    var best = Double.infinity, bestCPU = Double.infinity
    for _ in 0..<3 {
        let clock = ContinuousClock()
        let c = cpu()
        let d = try clock.measure(body)
        let ns = Double(d.components.seconds) * 1e9 + Double(d.components.attoseconds) / 1e9
        best = min(best, ns); bestCPU = min(bestCPU, cpu() - c)
    }
    print("\(name): \(Int(best / Double(n))) ns/op, cpu \(Int(bestCPU / Double(n)))")
}
func pure(_ n: Int) throws {
    var machine = SchedulerMachine(sharedWidth: 2, seed: 1)
    let queue = machine.queueCreated()
    var spec = OperationSpec()
    spec.hasHandle = true
    try time("  machine independent", n) {
        for _ in 0..<n { try machine.operationAdded(AdditionSpec(machine.operationCreated(spec)), to: queue) }
        while let id = machine.takeNext(.worker) {
            machine.bodyEnded(id, failed: false); machine.actions.removeAll(keepingCapacity: true);
            machine.operationReleased(id)
        }
    }
    try time("  machine chain", n) {
        let ids = (0..<n).map { _ in machine.operationCreated(spec) }
        for i in 1..<n { try machine.dependencyAdded(ids[i], on: ids[i - 1], when: .notFailed) }
        try machine.operationsAdded(ids.map { AdditionSpec($0) }, to: queue)
        while let id = machine.takeNext(.worker) {
            machine.bodyEnded(id, failed: false); machine.actions.removeAll(keepingCapacity: true);
            machine.operationReleased(id)
        }
    }
}
let scheduler = Scheduler()
let queue = ScheduledQueue(scheduler)
for n in [10_000, 1_000_000] {
    if CommandLine.arguments.count < 2 || CommandLine.arguments[1] == "pure" { try pure(n) }
    if CommandLine.arguments.count > 1 && CommandLine.arguments[1] == "pure" { continue }
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
