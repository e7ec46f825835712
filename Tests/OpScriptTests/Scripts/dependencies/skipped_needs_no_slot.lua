-- Skipped: like a cancelled one it needs no slot.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local started, gate = Gate "started", Gate "gate"
local bad = Operation { allowsFailure = true, main = function() error("x") end }
bad:start()
local busy = queue:addOperation(function()
    started:finish()
    await(gate)
end)
await(started)
local op = Operation(function() end)
op:addDependency(bad)
queue:addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "skipped" and busy.isExecuting)
gate:finish()
queue:waitUntilAllOperationsAreFinished()
