internal import CLua

// The functions that C calls. They are named, since a literal in an isolated place would check its actor at run time.

func releaseBox(_ object: UnsafeMutableRawPointer) {
    Unmanaged<AnyObject>.fromOpaque(object).release()
}

func pushLimit(_ raw: OpaquePointer, _ kind: Int32) {
    let state = LuaState(raw)
    let vm = state.vm
    let limit = LuaLimit(rawValue: kind) ?? .time
    if let push = vm.limitPusher {
        push(state, limit)
        return
    }
    switch limit {
    case .memory: state.push("memory limit of \(clua_of(raw).pointee.soft_limit) bytes reached")
    case .time: state.push("interrupted: it ran too long without a wait")
    case .output: state.push("limit of output reached")
    case .files: state.push("limit of open files reached")
    case .processes: state.push("limit of processes reached")
    case .exit: state.push("the host has left this code")
    case .instructions:
        state.push("limit of \(clua_of(raw).pointee.instruction_limit) instructions without a wait reached")
    }
}

// The owner may be in its deinitializer, since files are closed with the state.

func hasRoom(_ owner: UnsafeMutableRawPointer, _ kind: Int32) -> Int32 {
    handles(owner, kind).map { $0.hasRoom(for: $1) ? 1 : 0 } ?? 1
}

func handleOpened(_ owner: UnsafeMutableRawPointer, _ kind: Int32) {
    handles(owner, kind).map { $0.opened($1) }
}

func handleClosed(_ owner: UnsafeMutableRawPointer, _ kind: Int32) {
    handles(owner, kind).map { $0.closed($1) }
}

private func handles(_ owner: UnsafeMutableRawPointer, _ kind: Int32) -> (any LuaHandleCount, LuaHandleKind)?
{
    let vm = Unmanaged<LuaVM>.fromOpaque(owner).takeUnretainedValue()
    guard let handles = vm.configuration.handles, let kind = LuaHandleKind(rawValue: kind) else { return nil }
    return (handles, kind)
}

func takeWarning(_ owner: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>, _ continues: Int32) {
    guard let owner else { return }
    let vm = Unmanaged<LuaVM>.fromOpaque(owner).takeUnretainedValue()
    vm.warn(String(cString: text), continues: continues != 0)
}

func takePrint(_ raw: OpaquePointer, _ bytes: UnsafePointer<CChar>, _ count: Int) {
    LuaState(raw).vm.printer?(UnsafeRawBufferPointer(start: bytes, count: count))
}

func pushErrorText(_ raw: OpaquePointer, _ index: Int32) {
    let state = LuaState(raw)
    if let push = state.vm.errorTextPusher { push(state, index) } else { state.pushNil() }
}

func collectionBegins(_ raw: OpaquePointer) { LuaState(raw).vm.beforeCollection?() }

func describeSwiftError(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let box = state.box(1, state.vm.swiftErrorMetatable, as: ErrorBox.self) else {
        return state.raise(argument: 1, expected: "error")
    }
    if state.getUserValue(1) != .string { state.push(String(describing: box.error)) }
    return 1
}

func growLimit(_ owner: UnsafeMutableRawPointer, _ wanted: Int) -> Int {
    Unmanaged<LuaVM>.fromOpaque(owner)._withUnsafeGuaranteedRef { max(0, $0.moreMemory?(wanted) ?? 0) }
}
