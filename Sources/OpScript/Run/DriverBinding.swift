internal import LuaVM
internal import Scheduling

/// The functions that a driver receives; scripts do not see them.
///
/// - Tag: DriverBinding
enum DriverBinding {
    /// Pushes the table. [-0, +1, -]
    static func push(_ state: LuaState) {
        state.newTable(fields: 24)
        state.setFunctions([
            ("tell", driverTell), ("leave", scriptExit), ("place", driverPlace),
            ("traceback", driverTraceback),
            ("settle", driverSettle), ("limit", driverLimit), ("expired", driverExpired),
            ("cancelled", driverCancelled),
            ("record", driverRecord), ("recorded", driverRecorded), ("recordedCount", driverRecordedCount),
            ("identity", driverIdentity),
            ("leftovers", driverLeftovers), ("failures", driverFailures), ("kind", internalKind),
            ("suggest", driverSuggest), ("part", driverPart), ("endLeftovers", driverEndLeftovers),
            ("ending", driverEnding), ("environment", driverEnvironment), ("isWhole", driverIsWhole),
        ])
    }
}

/// `tell(value)`: passes a value to the host.
private func driverTell(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        var reader = ValueReader(runtime, state)
        do throws(ScriptConversionError) {
            let value = try reader.read(1)
            runtime.run.driver?.driver.receive(value.hiding(runtime.link.secrets))
        } catch {
            throw LuaRaise(argument: 1, error.description)
        }
        return 0
    }
}

/// `place()`: the line of the script from which the driver was called; nil if there is none.
private func driverPlace(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let text = runtime.vm.describe(runtime.globals.placeOutsidePrelude(state)) {
        state.push(text)
    } else {
        state.pushNil()
    }
    return 1
}

/// `traceback(error)`: the frames where the error was raised, or where this is called, without those of the
/// driver. nil if no frame is left.
private func driverTraceback(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    var frames = runtime.errorValue(state, 1)?.frames ?? []
    if frames.isEmpty { frames = runtime.vm.currentFrames(state, level: 1) }
    var kept: [LuaFrame] = []
    for (place, frame) in frames.enumerated() where !ScriptRun.isOwn(frame.source) {
        // The functions that raised, and those through which the driver calls, are not informative.
        if frame.isNative, kept.isEmpty, frame.name == nil || frame.name == "error" { continue }
        if frame.isNative, place + 1 < frames.count, ScriptRun.isOwn(frames[place + 1].source) {
            continue
        }
        kept.append(frame)
    }
    while let last = kept.last, last.isNative { kept.removeLast() }
    if kept.isEmpty { state.pushNil() } else { state.push(LuaFrame.text(of: kept)) }
    return 1
}

/// `settle()`: waits until nothing more can run at this moment of the clock.
private func driverSettle(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let task = try runtime.waits.waitingTask(state)
        guard state.canWait else { return LuaReply.wait }
        let wait = runtime.waits.beginWait(task, .something("everything to settle"), state)
        runtime.run.driver?.settlers.append(wait)
        state.push(continuation: endWithNothing)
        return LuaReply.waitThen
    }
}

/// `limit(seconds, reason)`: limits how far the virtual clock may advance from now on.
private func driverLimit(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let driver = runtime.run.driver else { return 0 }
        guard let seconds = try runtime.waits.seconds(state, 1) else {
            driver.deadline = nil
            return 0
        }
        let (deadline, overflow) = runtime.scheduler.clock.now
            .addingReportingOverflow(SchedulerClock.nanoseconds(seconds))
        driver.deadline = overflow ? nil : deadline
        driver.deadlineReason = state.string(2) ?? "the time is over"
        return 0
    }
}

/// `expired()`: the reason for which and the place where the time limit was reached; nothing if it was not.
private func driverExpired(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let driver = runtime(raw).run.driver, let expiry = driver.expiry else { return 0 }
    state.push(expiry)
    guard let place = driver.expiryPlace else { return 1 }
    state.push(place)
    return 2
}

/// `cancelled()`: whether the run was cancelled on purpose, by `cancelAt`.
private func driverCancelled(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).virtualTime.simulation?.wasCancelledOnPurpose ?? false)
    return 1
}

/// `record()`: clears the recording.
private func driverRecord(_ raw: OpaquePointer) -> Int32 {
    runtime(raw).run.driver?.recording = []
    return 0
}

/// `recorded(first)`: the events since `record`, from an index on, as tables of kind, name, identity and
/// time.
private func driverRecorded(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let first = max(1, state.integer(1) ?? 1)
    let events = runtime.run.driver?.recording.dropFirst(first - 1) ?? []
    state.newTable(array: events.count)
    for (offset, event) in events.enumerated() {
        state.newTable(fields: 4)
        state.push(event.kind.word)
        state.rawSet(-2, "kind")
        state.push(event.name)
        state.rawSet(-2, "name")
        state.push(Int(bitPattern: UInt(event.identity)))
        state.rawSet(-2, "identity")
        state.push(event.time)
        state.rawSet(-2, "time")
        state.rawSet(-2, offset + 1)
    }
    return 1
}

/// `recordedCount()`: how many events happened since `record`.
private func driverRecordedCount(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push(runtime(raw).run.driver?.recording.count ?? 0)
    return 1
}

/// `identity(operation)`: the identity in the operation's events; nil for anything but an operation.
private func driverIdentity(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let view = runtime.operations.operation(state, 1) {
        state.push(Int(view.pointee.id.eventIdentity))
    } else {
        state.pushNil()
    }
    return 1
}

/// `leftovers()`: everything that would continue or wait for ever, as tables of kind, text and place.
private func driverLeftovers(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let leftovers = runtime(raw).run.leftovers()
    state.newTable(array: leftovers.count)
    for (offset, leftover) in leftovers.enumerated() {
        state.newTable(fields: 3)
        state.push(leftover.kind)
        state.rawSet(-2, "kind")
        state.push(leftover.text)
        state.rawSet(-2, "text")
        if let place = leftover.place {
            state.push(place)
            state.rawSet(-2, "place")
        }
        state.rawSet(-2, offset + 1)
    }
    return 1
}

/// `part()`: a part of the run begins: the clock begins at 0, and existing objects and earlier failures do
/// not belong to the part.
private func driverPart(_ raw: OpaquePointer) -> Int32 {
    let runtime = runtime(raw)
    guard let driver = runtime.run.driver else { return 0 }
    driver.isCleaning = false
    driver.known = []
    driver.known = Set(runtime.run.leftovers().map(\.identity))
    driver.knownFailureCount = runtime.runState.report.failures.count
    if runtime.scheduler.clock.isVirtual { runtime.run.clockOrigin = runtime.scheduler.clock.now }
    driver.origin = runtime.run.clockOrigin
    return 0
}

/// `isWhole()`: from now on, leftovers are those of the whole run.
private func driverIsWhole(_ raw: OpaquePointer) -> Int32 {
    runtime(raw).run.driver?.known = []
    return 0
}

/// `endLeftovers()`: cancels and invalidates everything that `leftovers` returns.
private func driverEndLeftovers(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, _ throws(LuaRaise) in
        runtime.run.endLeftovers()
        return 0
    }
}

/// `ending()`: whether the run is cancelled, so that nothing in it can wait any more.
private func driverEnding(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push(runtime(raw).runState.isCancelled)
    return 1
}

/// `environment(function, table)`: gives the script, as `load` made it, a table instead of the globals.
private func driverEnvironment(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard state.isLuaFunction(1), state.isTable(2) else { return 0 }
    runtime(raw).run.driver?.environment = state.identity(2)
    state.setTop(2)
    state.replaceFirstUpvalue(of: 1)
    return 0
}

/// `failures()`: failed operations of the part whose failures were not handled, as tables of name, place, message and
/// traceback.
private func driverFailures(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let failures = runtime.runState.report.failures.dropFirst(runtime.run.driver?.knownFailureCount ?? 0)
        .filter { !$0.isHandled }
    state.newTable(array: failures.count)
    for (offset, failure) in failures.enumerated() {
        state.newTable(fields: 4)
        state.push(failure.name)
        state.rawSet(-2, "name")
        state.push(failure.createdAt)
        state.rawSet(-2, "place")
        state.push(failure.message)
        state.rawSet(-2, "message")
        if let traceback = failure.traceback {
            state.push(traceback)
            state.rawSet(-2, "traceback")
        }
        state.rawSet(-2, offset + 1)
    }
    return 1
}

/// `suggest(name, names)`: a hint at the nearest name, or nothing.
private func driverSuggest(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    var names: [String] = []
    if state.isTable(2) { state.forEachPair(2) { names.append(state.string(-1) ?? "") } }
    state.push(suggestion(for: state.string(1) ?? "", among: names))
    return 1
}

extension ScriptEvent.Kind {
    /// The kind of an event in one word.
    fileprivate var word: String {
        switch self {
        case .added: "add"
        case .ready: "ready"
        case .started: "start"
        case .finished(.succeeded): "finish"
        case .finished(.failed): "fail"
        case .finished(.cancelled): "cancel"
        case .finished(.skipped): "skip"
        case .cancelled: "cancelled"
        case .fired: "fire"
        case .lost: "lost"
        }
    }
}
