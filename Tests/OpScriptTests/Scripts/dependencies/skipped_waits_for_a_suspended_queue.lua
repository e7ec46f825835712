-- Skipped: like a cancelled one it waits for a suspended queue.
local bad = Operation { allowsFailure = true, main = function() error("x") end }
bad:start()
local queue = OperationQueue { isSuspended = true }
local op = Operation(function() end)
op:addDependency(bad)
queue:addOperation(op)
sleep(0.002)
assert(not op.isFinished and op.outcome == nil and queue.operationCount == 1)
queue.isSuspended = false
op:waitUntilFinished()
assert(op.outcome == "skipped")
