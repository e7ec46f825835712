-- Cancelled in a suspended queue, it finishes as soon as the queue is not suspended.
local queue = OperationQueue { isSuspended = true }
local op = queue:addOperation(function() error("must not run") end)
op:cancel()
sleep(0.002)
assert(op.isCancelled and not op.isFinished and queue.operationCount == 1 and op.outcome == nil)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(op.isFinished and op.outcome == "cancelled" and queue.operationCount == 0)
