-- Handlers run on the queue that is given last: its width and its suspension count. The default is the main queue.
-- expect-stdout: io	true
-- expect-stdout: main	true
-- expect-stdout: cancel on io	true
local queue = OperationQueue { name = "io", maxConcurrentOperationCount = 1, isSuspended = true }
local source = DispatchSource.userDataAdd(queue)
local events = 0
source:setEventHandler(function()
    events = events + 1
    print("io", OperationQueue.current == queue)
end)
source:setCancelHandler(function() print("cancel on io", OperationQueue.current == queue) end)
source:activate()
source:mergeData(1)
sleep(0) sleep(0)
assert(events == 0 and queue.operationCount == 1)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(events == 1)
local other = DispatchSource.userDataAdd()
other:setEventHandler(function() print("main", OperationQueue.current == OperationQueue.main) end)
other:activate()
other:mergeData(1)
sleep(0)
source:cancel()
