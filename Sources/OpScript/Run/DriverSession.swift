internal import LuaVM
internal import Scheduling

/// The state that a runtime has only while a driver runs a script.
final class DriverSession: EventSubscriber {
    let driver: ScriptDriver
    /// The events of operations and timers since the last call of `record`, in order.
    var recording: [ScriptEvent] = []
    /// Waits that end as soon as nothing more can run at this moment of the clock.
    var settlers: [Wait] = []
    /// The moment beyond which the virtual clock does not go.
    var deadline: Int64?
    /// The reason to report when that moment is reached.
    var deadlineReason = ""
    /// The reason for which its time limit was reached; nil if it was not.
    var expiry: String?
    /// The place where its main chunk waited at that moment.
    var expiryPlace: String?
    /// The table that the script has instead of the globals; nil if it has the globals.
    var environment: UnsafeRawPointer?
    /// The objects that existed before the part of the run whose leftovers are searched for.
    var known: Set<AnyHashable> = []
    /// Suspended queues that were emptied; only a script can resume them.
    var emptied: Set<AnyHashable> = []
    /// Whether the leftovers are being ended: then a waiting callback ends, too, and that is not an error of
    /// the run.
    var isCleaning = false
    /// How many failures had been reported before that part.
    var knownFailureCount = 0
    /// The moment from which recorded events count.
    var origin: Int64 = 0

    /// The limit of the recording, which grows if it is never read.
    private static let recordingLimit = 2_000_000

    init(_ driver: ScriptDriver) { self.driver = driver }

    override func receive(_ event: EngineEvent) {
        guard recording.count < Self.recordingLimit, let kind = ScriptEvent.Kind(event) else { return }
        recording.append(
            ScriptEvent(
                kind,
                name: event.operation.map { runtime.operations.name($0) } ?? "timer",
                identity: event.identity,
                time: Double(event.moment - origin) / 1e9
            )
        )
    }
}

extension ScriptRun {
    /// Pushes the main chunk of a driven run, which is the driver's last chunk, and its arguments. [-0, +n, -]
    func pushDriver(_ driver: DriverSession, of request: RunRequest, _ state: LuaState) throws(LuaError) {
        guard let last = driver.driver.chunks.last else {
            throw LuaError(.runtime, "the driver has no code")
        }
        DriverBinding.push(state)
        let inside = state.top
        for chunk in driver.driver.chunks.dropLast() {
            try vm.loadOwn(chunk.source, name: "=\(chunk.name)", into: state)
            state.pushValue(inside)
            try state.call(arguments: 1)
        }
        try vm.loadOwn(last.source, name: "=\(last.name)", into: state)
        state.insert(inside)
        runtime.push(driver.driver.arguments, state)
        do throws(LuaError) {
            try vm.load(request.source, name: request.bytes(request.name), into: state)
        } catch {
            state.pushNil()
            state.push(error.message)
        }
    }

    /// Ends the time of the run that a driver performs.
    func expireDriver(_ reason: String) {
        guard let driver, driver.expiry == nil else { return }
        var reason = reason
        if runtime.virtualTime.simulation != nil, scheduler.feed({ $0.movesElsewhere }) {
            reason += " (virtual time stands still while a real work executes)"
        }
        driver.expiry = reason
        let wait = runtime.waits.list.all.first { if case .main = $0.task.end { true } else { false } }
        driver.expiryPlace = wait.flatMap { driverPlace(of: $0) }
        // Reported here as well: a script that catches every cancellation is ended before the driver can report this.
        var event: ScriptTable = ["event": .text("expired"), "message": .text(reason)]
        if let place = driver.expiryPlace { event["place"] = .text(place) }
        driver.driver.receive(.table(event))
        runtime.loop.cancelRun()
    }

    /// The place where a coroutine waits, outside the driver's own code.
    private func driverPlace(of wait: Wait) -> String? {
        let frames = vm.currentFrames(wait.task.root.state)
        let frame = frames.first { !$0.isNative && !Self.isOwn($0.source) }
        if let frame, let line = frame.line { return "\(frame.source):\(line)" }
        return vm.describe(runtime.waits.place(of: wait))
    }

    /// Whether a chunk belongs to OpScript itself.
    static func isOwn(_ source: String) -> Bool { source.hasPrefix("[opscript") }

    /// Called if nothing runs elsewhere. Ends the waits for this moment. False if there are none.
    func endSettlers() -> Bool {
        guard let driver, !driver.settlers.isEmpty else { return false }
        let settlers = driver.settlers
        driver.settlers = []
        for wait in settlers { runtime.waits.end(wait, .reached) }
        return settlers.contains { $0.outcome != nil }
    }

    /// Ends a driver's time if the virtual clock would exceed its limit. False if the clock may advance.
    func expireDriver(before moment: Int64) -> Bool {
        guard let driver, let deadline = driver.deadline, moment > deadline, driver.expiry == nil else {
            return false
        }
        scheduler.advance(to: deadline)
        expireDriver(driver.deadlineReason)
        return true
    }
}
