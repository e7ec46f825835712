-- Several dependencies: an error outweighs quiet.
local good = Operation(function() end)
local bad = Operation { name = "bad", allowsFailure = true, main = function() error("x") end }
local op = Operation(function() end)
op:addDependency(good, "failed")
op:addDependency(bad, "notFailed")
OperationQueue():addOperations({ good, bad, op }, true)
assert(op.outcome == "skipped" and op.error ~= nil and op.error.message:find("bad", 1, true))
