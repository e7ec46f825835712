-- A dependency added twice is one dependency.
local gate, ran = Gate "gate", 0
local op = Operation(function() ran = ran + 1 end)
op:addDependency(gate)
op:addDependency(gate)
assert(#op.dependencies == 1)
OperationQueue():addOperation(op)
gate:finish()
op:waitUntilFinished()
assert(ran == 1)
