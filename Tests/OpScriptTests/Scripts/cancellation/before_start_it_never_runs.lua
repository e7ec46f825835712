-- Cancelled before its start, an operation never runs; it finishes as cancelled.
local queue = OperationQueue { isSuspended = true }
local ran = false
local op = queue:addOperation(function() ran = true end)
op:cancel()
assert(op.isCancelled)
queue.isSuspended = false
assert(op:waitUntilFinished() == true)
assert(op.isFinished and op.outcome == "cancelled" and op.state == "finished")
assert(not ran and op.result == nil and op.error == nil)
