public import OpScript

extension ScriptEngine {
    /// Registers `work.compute.primes`: a body that only computes.
    public func registerComputeWorks() {
        register(
            "compute.primes",
            "The number of primes below n.",
            parameters: ["n"],
            onVirtualTime: .instant
        ) { (context: WorkContext, n: Int) throws -> Int in
            try primeCount(context, below: n)
        }
    }

    /// Registers `work.block`: a body that only blocks.
    public func registerBlockWork() {
        register(
            "block",
            "Blocks its thread for some seconds.",
            parameters: ["seconds"],
            onVirtualTime: .modelled { arguments in
                let seconds = try Double(scriptValue: arguments.first ?? .nil)
                try checkBlocking(seconds)
                return ModelledRun(duration: seconds)
            },
            recording: .never
        ) { (context: WorkContext, seconds: Double) throws -> Void in
            try block(context, seconds: seconds)
        }
    }
}
