-- Not started, it finishes as cancelled without waiting for its own dependencies.
local gate = Gate "gate"
local op = Operation(function() error("must not run") end)
op:addDependency(gate)
OperationQueue():addOperation(op)
sleep(0)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and not gate.isFinished)
gate:finish()
