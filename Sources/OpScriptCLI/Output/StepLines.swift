internal import OpScript
internal import Synchronization

/// The lines about operations that have ended, for progress that is not drawn: `[12/62] cc m10.c  0.04 s`.
///
/// The script thread adds; the thread of the monitor takes. There are twenty lines a second at most; a line that says
/// how many more there were stands for the rest.
final class StepLines: Sendable {
    private static let mostInSecond = 20

    private struct State {
        var waiting: [NotableEnd] = []
        /// How many have no line, and the last end of all.
        var unwrittenCount = 0
        var last: NotableEnd?
        /// The beginning of the present second, and how many lines it has had.
        var second = -Double.infinity
        var count = 0
    }

    private let state = Mutex(State())
    private let callOwner: @Sendable () -> Void

    /// Makes an empty list; `callOwner` is called when there is something to take.
    init(callOwner: @escaping @Sendable () -> Void) { self.callOwner = callOwner }

    func add(_ end: NotableEnd) {
        let isFirst = state.withLock { state in
            state.last = end
            // Failures come before others that have no room.
            guard state.waiting.count < Self.mostInSecond || end.outcome == .failed else {
                state.unwrittenCount += 1
                return false
            }
            state.waiting.append(end)
            return state.waiting.count == 1
        }
        if isFirst { callOwner() }
    }

    /// The lines that may be written now.
    ///
    /// - Parameters:
    ///   - now: Seconds on a monotonic clock.
    ///   - isEnd: Whether no more will come.
    func take(at now: Double, isEnd: Bool = false) -> [String] {
        state.withLock { state in
            let isNewSecond = now - state.second >= 1
            if isNewSecond { (state.second, state.count) = (now, 0) }
            let room = Self.mostInSecond - state.count
            let failures = state.waiting.lazy.filter { $0.outcome == .failed }.count
            var others = max(0, room - failures)
            let written = state.waiting.filter { end in
                if end.outcome == .failed { return true }
                others -= 1
                return others >= 0
            }.prefix(room)
            state.count += written.count
            state.unwrittenCount += state.waiting.count - written.count
            state.waiting = []
            var lines = written.map(Self.line)
            if isNewSecond || isEnd, state.unwrittenCount > 0, let last = state.last {
                lines.append("\(Self.place(last)) and \(state.unwrittenCount) more")
                state.unwrittenCount = 0
            }
            return lines
        }
    }

    private static func line(_ end: NotableEnd) -> String {
        let how =
            switch end.outcome {
            case .succeeded: ""
            case .failed: "  failed"
            case .cancelled: "  cancelled"
            }
        return
            "\(place(end)) \(VisibleText.line(end.name.prefix(1000)))  \(SecondsText.short(end.seconds))\(how)"
    }

    private static func place(_ end: NotableEnd) -> String { "[\(end.place)/\(end.total)]" }
}
