-- A cancelled operation finishes when its body has returned, and keeps its slot until then.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local started, gate, ran = Gate "started", Gate "gate", false
local op = queue:addOperation(function()
    started:finish()
    shield(await, gate)
end)
queue:addOperation(function() ran = true end)
await(started)
op:cancel()
sleep(0.002)
assert(op.isCancelled and op.isExecuting and not op.isFinished and not ran)
gate:finish()
queue:waitUntilAllOperationsAreFinished()
assert(ran and op.outcome == "cancelled")
