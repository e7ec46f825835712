internal import LuaVM
internal import Scheduling

/// A descriptor that can be read, or written.
final class DescriptorSource: SourceKind {
    static let makers: [ScriptMethod] = [
        .init("read", "fd [, queue]", makeReadSource),
        .init("write", "fd [, queue]", makeWriteSource),
    ]

    private let watch: DescriptorWatch

    let typeName: String
    let merge = SourceMachine.Merge.level
    var subject: String? { "\(watch.number)" }
    var description: String { "\(typeName) source of descriptor \(watch.number)" }
    var isClosed: Bool { !watch.isOpen }

    init(_ watch: DescriptorWatch) {
        self.watch = watch
        typeName = watch.direction == .read ? "read" : "write"
    }

    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token? {
        if watch.direction == .write { SignalRelay.surviveBrokenPipes() }
        return try monitor().add(watch, handler)
    }

    func arm(_ source: EventSource, _ sources: EventSources) {
        // Data that the script's library has read ahead is available, although the kernel does not know about it.
        switch watch.look(buffered: sources.buffered(source)) {
        case .ready, .ended: sources.happened(source, 1)
        case .closed: sources.descriptorWasClosed(source)
        case .notYet: sources.armToken(of: source)
        }
    }

    func takeData(_ number: Int, _ source: EventSource, _ sources: EventSources) -> Bool {
        switch watch.look(buffered: sources.buffered(source)) {
        case .notYet: return false
        case .ready(let count): source.data = count
        case .ended:
            source.data = 0
            sources.exhausted(source)
        case .closed:
            sources.descriptorWasClosed(source)
            return false
        }
        return true
    }

    func pushHandle(_ state: LuaState) { state.push(Int(watch.number)) }
}

private func makeReadSource(_ raw: OpaquePointer) -> Int32 { makeDescriptorSource(raw, .read) }
private func makeWriteSource(_ raw: OpaquePointer) -> Int32 { makeDescriptorSource(raw, .write) }

/// `DispatchSource.read(fd)`: a number, or a file of Lua's library.
private func makeDescriptorSource(_ raw: OpaquePointer, _ direction: DescriptorWatch.Direction) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let name = direction == .read ? "read" : "write"
        try runtime.require(.descriptors, for: "a source that may \(name)")
        let descriptor: Int32
        switch state.file(1) {
        case .closed?: throw LuaRaise(argument: 1, "open file expected, got a closed file")
        case .open(let number, _)?: descriptor = number
        case nil:
            guard let number = state.wholeNumber(1) else {
                throw LuaRaise(
                    argument: 1,
                    "descriptor or file expected, got \(runtime.operations.kindName(state, 1))"
                )
            }
            guard let small = Int32(exactly: number), small >= 0 else {
                throw LuaRaise(argument: 1, "descriptor of at least 0 expected, got \(number)")
            }
            descriptor = small
        }
        let queue = try runtime.sources.sourceQueue(state, 2)
        let watch: DescriptorWatch
        do throws(SystemFailure) {
            watch = try DescriptorWatch(descriptor, direction)
        } catch {
            throw LuaRaise(argument: 1, refusal(error, descriptor, name))
        }
        runtime.sources.makeSource(DescriptorSource(watch), queue, state)
        if state.type(1) == .userdata {
            state.pushValue(1)
            _ = state.setUserValue(-2, SourceValue.file)
        }
        return 1
    }
}

private func refusal(_ failure: SystemFailure, _ descriptor: Int32, _ name: String) -> String {
    switch failure {
    case .notOpen: "descriptor \(descriptor) is not open"
    case .wrongWay: "descriptor \(descriptor) is not open for \(name == "read" ? "reading" : "writing")"
    case .directory: "descriptor \(descriptor) is a directory; use DispatchSource.fileSystem"
    default: "descriptor \(descriptor): \(failure)"
    }
}
