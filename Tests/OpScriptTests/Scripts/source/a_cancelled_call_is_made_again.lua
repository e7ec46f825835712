-- Cancelling the operations in the queue of a source does not lose its event.
-- expect-stdout: 3
local queue = OperationQueue { name = "io", isSuspended = true }
local source = DispatchSource.userDataAdd(queue)
source:setEventHandler(function() print(source.data) end)
source:activate()
source:mergeData(1)
source:mergeData(2)
sleep(0)
queue:cancelAllOperations()
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
