-- Effects of a script's own calls are visible at once.
local queue = OperationQueue()
local first, second = Operation(function() end), Operation(function() end)
second:addDependency(first)
assert(#second.dependencies == 1 and second.isReady == false)
queue:addOperations { first, second }
assert(first.queue == queue and queue.operationCount == 2 and #queue.operations == 2)
second:cancel()
assert(second.isCancelled == true)
queue.isSuspended = true
assert(queue.isSuspended == true)
queue.maxConcurrentOperationCount = 3
assert(queue.maxConcurrentOperationCount == 3)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
