-- An operation whose time ran out finishes when its body has returned, and keeps slot and resources until then.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local gate, ran = Gate "gate", false
local op = Operation { timeout = 0.005, allowsFailure = true, main = function() shield(await, gate) end }
queue:addOperation(op)
queue:addOperation(function() ran = true end)
while not op.isCancelled do sleep(0.001) end
sleep(0)
assert(op.isExecuting and not op.isFinished and not ran)
gate:finish()
queue:waitUntilAllOperationsAreFinished()
assert(ran and op.outcome == "failed" and op.error.code == "timeout")
