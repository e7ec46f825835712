-- Not started and cancelled, it needs no slot to finish.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local started, gate = Gate "started", Gate "gate"
local busy = queue:addOperation(function()
    started:finish()
    await(gate)
end)
local op = queue:addOperation(function() error("must not run") end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and busy.isExecuting and queue.operationCount == 1)
gate:finish()
queue:waitUntilAllOperationsAreFinished()
