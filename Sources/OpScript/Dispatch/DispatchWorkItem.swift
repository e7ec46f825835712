internal import LuaVM
internal import Scheduling

/// A body that can be passed around, waited for and cancelled.
///
/// The body, a function or an operation, is in the work item's userdata.
final class DispatchWorkItem: WaitSource {
    let isBarrier: Bool
    var isCancelled = false
    /// How often it was added to a queue or performed.
    var startCount = 0
    /// How many of these executions have ended.
    var endCount = 0
    /// Its operations that have not ended.
    var operations: [OperationID] = []
    /// The userdata, while it is in a queue.
    var anchor: LuaReference?
    /// Whether a wait for it has succeeded.
    var wasWaitedFor = false
    let waiters = WaiterQueue()
    let place: String

    init(isBarrier: Bool, place: String) {
        self.isBarrier = isBarrier
        self.place = place
    }

    var pendingOperations: [OperationID] { operations }

    var reason: String {
        startCount == 0
            ? "the work item made at \(place) was never given to a queue nor performed"
            : "the work item made at \(place) was begun, and nothing is left that could end it"
    }

    var stateText: String {
        if isCancelled { return "cancelled" }
        if endCount > 0, operations.isEmpty { return "finished" }
        return startCount == 0 ? "not submitted" : "submitted"
    }
}

extension DispatchObjects {
    func dispatchWorkItem(_ state: LuaState, _ index: Int32) -> DispatchWorkItem? {
        state.box(index, metatables.dispatchWorkItem, as: DispatchWorkItem.self)
    }

    func requireWorkItem(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> DispatchWorkItem {
        if let item = dispatchWorkItem(state, index) { return item }
        throw LuaRaise(argument: index, "work item expected, got \(operations.kindName(state, index))")
    }

    /// Pushes an operation that runs the body of the work item at an index. [-0, +1, -]
    func pushItemOperation(of item: DispatchWorkItem, at index: Int32, _ state: LuaState) throws(LuaRaise) {
        _ = state.getUserValue(index, WorkItemValue.body)
        if let view = operations.operation(state, -1) {
            try operations.checkIsNew(view, state, -1)
        } else {
            try operations.wrapFunction(state, argument: index, place: nil)
        }
        if item.isCancelled, let view = operations.operation(state, -1) { operations.cancel(view) }
    }

    /// Called if an operation of the work item at an index was added to a queue, or is going to be.
    func submitted(_ item: DispatchWorkItem, at index: Int32, _ id: OperationID, _ state: LuaState) {
        item.startCount += 1
        item.operations.append(id)
        if item.anchor == nil { item.anchor = runtime.reference(to: index, state) }
        operations.attachment(id).afterEnd.append(.endItem(item))
    }

    /// Called if one of the operations of the work item has ended.
    func operationEnded(_ id: OperationID, of item: DispatchWorkItem) {
        item.operations.removeAll { $0 == id }
        let anchor = item.anchor
        if item.operations.isEmpty { item.anchor = nil }
        guard let anchor else { return }
        let state = vm.main
        anchor.push(state)
        itemEnded(item, at: state.top, state)
        state.pop()
    }

    /// Called if the work item at an index has run, or will not run any more.
    func itemEnded(_ item: DispatchWorkItem, at index: Int32, _ state: LuaState) {
        item.endCount += 1
        while let wait = item.waiters.popFirst() {
            item.wasWaitedFor = true
            waits.end(wait, .reached)
        }
        guard state.getUserValue(index, DispatchValue.own) == .table else { return state.pop() }
        let list = state.top
        state.pushNil()
        _ = state.setUserValue(index, DispatchValue.own)
        for place in stride(from: 1, to: state.rawLength(list), by: 2) {
            _ = state.rawGet(list, place)
            _ = state.rawGet(list, place + 1)
            submitNotification(state)
            state.setTop(list)
        }
        state.pop()
    }

    /// Cancels the work item's operations that have not begun; a running body sees the flag.
    func cancelItem(_ item: DispatchWorkItem, at index: Int32, _ state: LuaState) {
        item.isCancelled = true
        let isOperation = state.getUserValue(index, WorkItemValue.body) == .userdata
        state.pop()
        for id in item.operations {
            guard let view = operations.liveView(id), isOperation || view.pointee.state != .executing
            else {
                continue
            }
            operations.cancel(view)
        }
    }
}

/// The values that a work item keeps in its userdata in addition to those of all dispatch objects.
enum WorkItemValue {
    static let body: Int32 = DispatchValue.count + 1
    static let count: Int32 = DispatchValue.count + 1
}
