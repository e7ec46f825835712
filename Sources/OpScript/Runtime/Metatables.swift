internal import LuaVM

/// The metatables of all types that scripts see.
struct Metatables {
    let operation: LuaMetatable
    let queue: LuaMetatable
    let timer: LuaMetatable
    let source: LuaMetatable
    let observation: LuaMetatable
    let error: LuaMetatable
    let data: LuaMetatable
    let hostObject: LuaMetatable
    let progress: LuaMetatable
    let isolate: LuaMetatable
    let thread: LuaMetatable
    let dispatchQueue: LuaMetatable
    let dispatchGroup: LuaMetatable
    let dispatchSemaphore: LuaMetatable
    let dispatchWorkItem: LuaMetatable
    /// The metatable of the userdata that runs a finalizer when its owner was collected.
    let finalizer: LuaMetatable

    init(_ vm: LuaVM) {
        operation = OperationBinding.type.makeMetatable(vm, .operation)
        queue = QueueBinding.type.makeMetatable(vm, .queue)
        timer = TimerBinding.type.makeMetatable(vm, .timer)
        source = SourceBinding.type.makeMetatable(vm, .source)
        observation = ObservationBinding.makeMetatable(vm)
        error = ErrorBinding.makeMetatable(vm)
        data = DataBinding.makeMetatable(vm)
        hostObject = HostObjectBinding.makeMetatable(vm)
        progress = ProgressBinding.type.makeMetatable(vm, .progress)
        isolate = IsolateBinding.makeMetatable(vm)
        thread = ThreadBinding.type.makeMetatable(vm, .thread)
        dispatchQueue = DispatchQueueBinding.type.makeMetatable(vm, .dispatchQueue)
        dispatchGroup = DispatchGroupBinding.type.makeMetatable(vm, .dispatchGroup)
        dispatchSemaphore = DispatchSemaphoreBinding.type.makeMetatable(vm, .dispatchSemaphore)
        dispatchWorkItem = DispatchWorkItemBinding.type.makeMetatable(vm, .dispatchWorkItem)
        finalizer = ObjectFinalizer.makeMetatable(vm)
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
