-- `addDependency` given again: the later `when` replaces.
local bad = Operation { allowsFailure = true, main = function() error("x") end }
local weaker, stronger = Operation(function() return 1 end), Operation(function() return 1 end)
weaker:addDependency(bad)
weaker:addDependency(bad, "finished")
stronger:addDependency(bad, "finished")
stronger:addDependency(bad, "notFailed")
assert(#weaker.dependencies == 1 and #stronger.dependencies == 1, "a duplicate was kept")
OperationQueue():addOperations({ bad, weaker, stronger }, true)
assert(weaker.outcome == "succeeded" and stronger.outcome == "skipped")
