-- Several dependencies, of which one skips quietly and the others let it run: skipped quietly.
local good = Operation(function() end)
local other = Operation(function() end)
local op = Operation(function() end)
op:addDependency(other)
op:addDependency(good, "failed")
OperationQueue():addOperations({ good, other, op }, true)
assert(op.outcome == "skipped" and op.error == nil)
