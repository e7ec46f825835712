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
    /// Of what runs a finalizer when its owner was collected.
    let finalizer: LuaMetatable

    init(_ vm: LuaVM) {
        operation = OperationBinding.makeMetatable(vm)
        queue = QueueBinding.makeMetatable(vm)
        timer = TimerBinding.makeMetatable(vm)
        source = SourceBinding.makeMetatable(vm)
        observation = ObservationBinding.makeMetatable(vm)
        error = ErrorBinding.makeMetatable(vm)
        data = DataBinding.makeMetatable(vm)
        hostObject = HostObjectBinding.makeMetatable(vm)
        progress = ProgressBinding.makeMetatable(vm)
        isolate = IsolateBinding.makeMetatable(vm)
        thread = ThreadBinding.makeMetatable(vm)
        dispatchQueue = DispatchQueueBinding.makeMetatable(vm)
        dispatchGroup = DispatchGroupBinding.makeMetatable(vm)
        dispatchSemaphore = DispatchSemaphoreBinding.makeMetatable(vm)
        dispatchWorkItem = DispatchWorkItemBinding.makeMetatable(vm)
        finalizer = ObjectFinalizer.makeMetatable(vm)
    }
}
