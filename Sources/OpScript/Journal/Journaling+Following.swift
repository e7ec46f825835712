internal import LuaVM
internal import Scheduling

/// The dependencies between tickets, if it matters for which operations --again holds, or for --explain.
extension Journaling {
    /// The operation at an index depends on the one at another index.
    func noteDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ view: OperationPointer,
        _ other: OperationPointer,
        when condition: DependencyCondition
    ) {
        guard let ticket = ownTicket(view, state, index, isFollowed: true),
            let otherTicket = ownTicket(other, state, otherIndex, isFollowed: true)
        else { return }
        ticket.depends(on: otherTicket, toFail: condition == .failed)
    }

    /// The operations at indices are added to a group, or run as blocks of an operation.
    func noteMembers(_ indices: ClosedRange<Int32>, of group: OperationID, _ state: LuaState) {
        let top = state.top
        defer { state.setTop(top) }
        guard let groupView = operations.liveView(group), state.ensureSpace(4),
            operations.pushOperation(group, state),
            let groupTicket = ownTicket(groupView, state, state.top, isFollowed: true)
        else { return }
        for index in indices {
            guard let view = operations.operation(state, index) else { continue }
            ownTicket(view, state, index, isFollowed: true)?.isInside(groupTicket)
        }
    }
}
