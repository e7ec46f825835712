-- `queue.isSuspended = true` starts nothing more.
local queue = OperationQueue { isSuspended = true }
local ran = false
local op = queue:addOperation(function() ran = true end)
sleep(0.01)
assert(not ran and op.state == "ready" and queue.operationCount == 1)
queue.isSuspended = false
op:waitUntilFinished()
assert(ran and queue.operationCount == 0)
