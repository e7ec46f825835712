internal import LuaVM

/// The metatables of all types that scripts see.
///
/// Each is made when a value of its type is first made or looked for. All of them together are half of the Lua memory
/// of a new engine, and a script uses few.
final class Metatables {
    private let vm: LuaVM

    private(set) lazy var operation = OperationBinding.type.makeMetatable(vm, .operation)
    private(set) lazy var queue = QueueBinding.type.makeMetatable(vm, .queue)
    private(set) lazy var timer = TimerBinding.type.makeMetatable(vm, .timer)
    private(set) lazy var source = SourceBinding.type.makeMetatable(vm, .source)
    private(set) lazy var observation = ObservationBinding.makeMetatable(vm)
    private(set) lazy var error = ErrorBinding.makeMetatable(vm)
    private(set) lazy var data = DataBinding.makeMetatable(vm)
    private(set) lazy var hostObject = HostObjectBinding.makeMetatable(vm)
    private(set) lazy var progress = ProgressBinding.type.makeMetatable(vm, .progress)
    private(set) lazy var outputLines = OutputLinesBinding.makeMetatable(vm)
    private(set) lazy var isolate = IsolateBinding.makeMetatable(vm)
    private(set) lazy var thread = ThreadBinding.type.makeMetatable(vm, .thread)
    private(set) lazy var dispatchQueue = DispatchQueueBinding.type.makeMetatable(vm, .dispatchQueue)
    private(set) lazy var dispatchGroup = DispatchGroupBinding.type.makeMetatable(vm, .dispatchGroup)
    private(set) lazy var dispatchSemaphore = DispatchSemaphoreBinding.type.makeMetatable(
        vm,
        .dispatchSemaphore
    )
    private(set) lazy var dispatchWorkItem = DispatchWorkItemBinding.type.makeMetatable(vm, .dispatchWorkItem)
    /// The metatable of the userdata that runs a finalizer when its owner was collected.
    private(set) lazy var finalizer = ObjectFinalizer.makeMetatable(vm)

    init(_ vm: LuaVM) { self.vm = vm }

    /// The type of a userdata among those that a ``ScriptType`` describes; nil for any other value. [-0, +0, -]
    func type(of index: Int32, _ state: LuaState) -> ScriptTypeNumber? {
        guard state.type(index) == .userdata else { return nil }
        // Any library may use such a name, so the metatable decides.
        let name = state.typeName(index)
        return ScriptTypeNumber.allCases.first { number in
            ScriptType.all[number.rawValue].name == name && state.userdata(index, self[number]) != nil
        }
    }

    /// The metatable of one of the types that a ``ScriptType`` describes.
    subscript(number: ScriptTypeNumber) -> LuaMetatable {
        switch number {
        case .operation: operation
        case .queue: queue
        case .timer: timer
        case .source: source
        case .progress: progress
        case .thread: thread
        case .dispatchQueue: dispatchQueue
        case .dispatchGroup: dispatchGroup
        case .dispatchSemaphore: dispatchSemaphore
        case .dispatchWorkItem: dispatchWorkItem
        }
    }
}
