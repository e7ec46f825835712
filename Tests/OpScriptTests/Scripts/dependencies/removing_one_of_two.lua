-- After `removeDependency` the other dependencies still hold.
local first, second = Gate "first", Gate "second"
local op = Operation(function() return "ran" end)
op:addDependency(first)
op:addDependency(second)
op:removeDependency(first)
assert(#op.dependencies == 1 and op.dependencies[1] == second and not op.isReady)
OperationQueue():addOperation(op)
sleep(0.002)
assert(not op.isFinished)
second:finish()
op:waitUntilFinished()
assert(op.result == "ran")
