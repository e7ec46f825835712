internal import Glibc
internal import OpScript
internal import Synchronization

/// The process as the script sees it.
extension Launch: RunningProgram {
    var processIdentifier: Int32? { state.withLock { $0.group } }

    var usage: ProgramUsage? { state.withLock { $0.usage } }

    func send(_ signal: Int32) -> Bool {
        state.withLock { state in
            guard let group = state.group else { return false }
            return kill(-group, signal) == 0
        }
    }

    var stoppedError: ScriptError? { state.withLock { $0.stopped }?.error }

    var unfinishedError: ScriptError? {
        let failure = state.withLock { state -> ProcessFailure? in
            guard state.group != nil, state.ended == nil else { return nil }
            return ProcessFailure(
                unfinished: command,
                output: state.output?.bytes,
                errorOutput: state.errorOutput?.bytes,
                state.transcript
            )
        }
        return failure?.error
    }

    /// Notes that a cancellation or a time limit has ended it.
    func stopped(_ failure: ProcessFailure) { state.withLock { $0.stopped = failure } }

    func settled(isUsed: Bool) { view?.settled(isUsed: isUsed) }

    func passOn() { view?.passOn() }

    func nextLine(_ place: inout OutputPlace) -> OutputLine {
        state.withLock { Self.nextLine(&place, in: $0) }
    }

    func notify(_ place: OutputPlace, _ handler: @escaping @Sendable () -> Void) {
        let isThere = state.withLock { state in
            var place = place
            if case .notYet = Self.nextLine(&place, in: state) {
                state.watchers.append(Watcher(place: place, handler: handler))
                return false
            }
            return true
        }
        if isThere { handler() }
    }

    /// Calls those whose line has come, or whose output has ended.
    func callWatchers() {
        let ready = state.withLock { state -> [Watcher] in
            guard !state.watchers.isEmpty else { return [] }
            var ready: [Watcher] = []
            var waiting: [Watcher] = []
            for var watcher in state.watchers {
                var place = watcher.place
                if case .notYet = Self.nextLine(&place, in: state) {
                    watcher.place = place
                    waiting.append(watcher)
                } else {
                    ready.append(watcher)
                }
            }
            state.watchers = waiting
            return ready
        }
        for watcher in ready { watcher.handler() }
    }

    private static func nextLine(_ place: inout OutputPlace, in state: borrowing State) -> OutputLine {
        if let ended = state.ended {
            guard let bytes = place.isError ? ended.errorOutput : ended.output else { return .notCaptured }
            return place.nextLine(in: bytes, isComplete: true)
        }
        guard let capture = place.isError ? state.errorOutput : state.output else {
            return state.group == nil ? .notYet : .notCaptured
        }
        return place.nextLine(in: capture.bytes, isComplete: capture.descriptor == nil)
    }
}
