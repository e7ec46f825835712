-- A condition of one's own is a gate that others depend on.
local gate, ran = Gate "condition", false
local op = Operation(function() ran = true end)
op:addDependency(gate)
OperationQueue():addOperation(op)
sleep(0.005)
assert(not ran and not op.isReady and op.state == "pending")
gate:finish()
op:waitUntilFinished()
assert(ran and op.isReady)
