-- Several dependencies: all must let it run.
local good = Operation(function() end)
local bad = Operation { name = "bad", allowsFailure = true, main = function() error("x") end }
local ran = false
local op = Operation { main = function() ran = true end, dependencies = { good, bad } }
OperationQueue():addOperations({ good, bad, op }, true)
assert(op.outcome == "skipped" and not ran and op.error.message:find("bad", 1, true))
