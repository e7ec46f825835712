-- A dependency may be added to an operation in a suspended queue.
local queue = OperationQueue { isSuspended = true }
local gate = Gate "gate"
local op = queue:addOperation(Operation(function() return "ran" end))
op:addDependency(gate)
assert(not op.isReady)
queue.isSuspended = false
sleep(0.002)
assert(not op.isFinished)
gate:finish()
op:waitUntilFinished()
assert(op.result == "ran")
