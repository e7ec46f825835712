internal import LuaVM
internal import Scheduling

/// Lets scripts wait for the frames of a host that polls its engine: each call of `poll` begins one.
///
/// Owns the gates of the next frame. Called by the runner at the beginning of a poll, and by the loop, for which an
/// expected frame is a reason to wait.
final class Frames: RuntimePart {
    let operations: Operations
    /// The gates that the next frame ends.
    private var gates: [OperationID] = []

    init(_ foundation: RuntimeFoundation, operations: Operations) {
        self.operations = operations
        super.init(foundation)
    }

    /// Makes a gate that the next frame ends. [-0, +1, m]
    fileprivate func makeGate(_ state: LuaState) throws(LuaRaise) {
        guard case .manual = configuration.scriptExecutor else {
            throw .misuse(
                "'frame' needs a host that polls its engine, frame by frame; this engine runs scripts by itself: "
                    + "use 'sleep'"
            )
        }
        gates.append(operations.makeGate(named: "frame", state))
    }

    /// A frame begins: ends the gates that were made before it.
    func begin() {
        guard !gates.isEmpty else { return }
        let ending = gates
        gates = []
        for id in ending {
            guard let view = operations.liveView(id), !view.pointee.isFinished,
                !view.pointee.flags.contains(.wasEnded)
            else { continue }
            view.pointee.flags.insert(.wasEnded)
            // A gate always accepts its end.
            scheduler.feed { try? $0.endedFromOutside(id, failed: false) }
        }
    }

    /// Whether a script has a gate that the next frame ends.
    var isExpected: Bool {
        guard !gates.isEmpty else { return false }
        gates.removeAll { operations.liveView($0).map(\.pointee.isFinished) ?? true }
        return !gates.isEmpty
    }

    /// `frame()`
    static let function = ScriptMethod("frame", "", makeFrame)
}

private func makeFrame(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.frames.makeGate(state)
        return 1
    }
}
