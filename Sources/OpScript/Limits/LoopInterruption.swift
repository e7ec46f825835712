/// The end of Lua code that does not wait although the run was cancelled, as in `while true do end`. For commands.
package struct LoopInterruption: Sendable {
    /// How long Lua code may run without a wait once the run is cancelled; then it is interrupted.
    package var delay: Duration
    /// How long it may continue after that.
    package var grace: Duration
    /// Called when it continues for longer: a function of C does not return. On the clock's thread, several times.
    package var onRefusal: @Sendable () -> Void

    package init(delay: Duration, grace: Duration, onRefusal: @escaping @Sendable () -> Void) {
        self.delay = delay
        self.grace = grace
        self.onRefusal = onRefusal
    }
}
