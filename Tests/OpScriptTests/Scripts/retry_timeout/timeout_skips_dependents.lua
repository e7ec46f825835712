-- An operation whose time ran out has failed: dependents are skipped.
local slow = Operation { name = "slow", timeout = 0.005, main = function() sleep(60) end }
slow.allowsFailure = true
local after = Operation(function() error("must not run") end)
after:addDependency(slow)
OperationQueue():addOperations({ slow, after }, true)
assert(after.outcome == "skipped" and after.error.message:find("slow", 1, true))
