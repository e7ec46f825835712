-- It is decided once all dependencies have finished or were removed: a removed failure does not count.
local gate = Gate "gate"
local bad = Operation { allowsFailure = true, main = function() error("x") end }
local op = Operation(function() return "ran" end)
op:addDependency(bad)
op:addDependency(gate)
OperationQueue():addOperations { bad, op }
bad:waitUntilFinished()
assert(not op.isFinished, "decided before all dependencies had finished")
op:removeDependency(bad)
gate:finish()
op:waitUntilFinished()
assert(op.outcome == "succeeded" and op.result == "ran")
