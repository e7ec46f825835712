/// The wait of a host for an end that happens by itself, or is brought about when time is over.
enum Draining {
    /// Returns when the end has come.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for it; nil for any time.
    ///   - abandon: Brings the end about. Called when the time is over, or when the calling task is cancelled.
    ///   - end: Returns when the end has come.
    /// - Returns: Whether it has come by itself.
    static func wait(
        timeout: Duration?,
        orElse abandon: () -> Void,
        for end: @escaping @Sendable () async -> Void
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await end()
                return true
            }
            group.addTask {
                // Nothing but a cancellation ends this sleep early.
                try? await Task.sleep(for: timeout ?? .seconds(Int32.max))
                return false
            }
            let isInTime = await group.next() ?? true
            if !isInTime { abandon() }
            group.cancelAll()
            return isInTime
        }
    }
}
