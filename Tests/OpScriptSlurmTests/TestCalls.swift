import OpScript
@testable import OpScriptSlurm

/// A body for the rules.
func testCall(_ number: UInt64, _ change: (inout SlurmMachine.Call) -> Void = { _ in }) -> SlurmMachine.Call {
    var call = SlurmMachine.Call(number: number, name: "step\(number)", options: ClusterOptions())
    change(&call)
    return call
}

/// The options of a queue with at most three pilots.
var threePilots: ClusterOptions {
    var options = ClusterOptions()
    options.pilots = ClusterOptions.Pilots()
    options.pilots?.max = 3
    return options
}
