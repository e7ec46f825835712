internal import Glibc
internal import OpScript

/// Blocks the calling thread, for experiments with the number of threads; detects cancellation within 10 ms.
func block(_ context: WorkContext, seconds: Double) throws {
    try checkBlocking(seconds)
    let start = ContinuousClock.now
    context.progress.totalUnitCount = 1000
    while true {
        try context.checkCancellation()
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        guard elapsed < seconds else { break }
        context.progress.completedUnitCount = Int64(elapsed / seconds * 1000)
        usleep(UInt32(min(0.01, seconds - elapsed) * 1e6) + 1)
    }
    context.progress.completedUnitCount = 1000
}

/// - Throws: If the time is invalid.
func checkBlocking(_ seconds: Double) throws {
    guard seconds >= 0 else {
        throw ScriptError(.argument, "cannot block for \(seconds) s: a number of at least 0 expected")
    }
}
