-- Whether an operation is skipped is decided once all dependencies have finished.
local gate = Gate "gate"
local bad = Operation { allowsFailure = true, main = function() error("x") end }
local op = Operation(function() end)
op:addDependency(bad)
op:addDependency(gate)
OperationQueue():addOperations { bad, op }
bad:waitUntilFinished()
sleep(0.002)
assert(not op.isFinished and op.outcome == nil)
gate:finish()
op:waitUntilFinished()
assert(op.outcome == "skipped")
