-- The dependency that comes from an argument can't be weakened.
local bad = Operation { allowsFailure = true, main = function() error("x") end }
local op = work.json.encode(bad)
pcall(function() op:addDependency(bad, "finished") end)
OperationQueue():addOperations({ bad, op }, true)
assert(op.outcome == "skipped" and op.error.code == "skipped", op.outcome)
