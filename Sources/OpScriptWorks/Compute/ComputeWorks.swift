public import OpScript

extension ScriptEngine {
    /// Registers `work.compute.primes` and `work.block`: bodies that only compute or only block.
    public func registerComputeWorks() {
        register("compute.primes", "How many primes lie below n.", parameters: ["n"]) {
            (context: WorkContext, n: Int) throws -> Int in
            try primeCount(context, below: n)
        }
        register("block", "Blocks its thread for some seconds.", parameters: ["seconds"]) {
            (context: WorkContext, seconds: Double) throws -> Void in
            try block(context, seconds: seconds)
        }
    }
}
