-- Removing an operation that is no dependency changes nothing.
local gate, stranger = Gate "gate", Gate "stranger"
local op = Operation(function() end)
op:addDependency(gate)
op:removeDependency(stranger)
assert(#op.dependencies == 1 and not op.isReady)
gate:finish()
stranger:finish()
await(op)
