-- A cancelled operation needs no slot, so it finishes in a queue of width 0 too.
local queue = OperationQueue { maxConcurrentOperationCount = 0 }
local op = queue:addOperation(function() error("must not run") end)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and queue.operationCount == 0)
