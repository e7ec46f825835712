-- Skipped with an error counts as failed for those that depend on it.
local bad = Operation { name = "bad", allowsFailure = true, main = function() error("x") end }
local chain = { bad }
for i = 2, 6 do
    chain[i] = Operation { name = "link" .. i, main = function() error("must not run") end }
    chain[i]:addDependency(chain[i - 1])
end
local rescue = Operation(function() return "rescued" end)
rescue:addDependency(chain[6], "failed")
OperationQueue():addOperations(chain)
assert(await(rescue) == "rescued")
for i = 2, 6 do assert(chain[i].outcome == "skipped" and chain[i].error.code == "skipped") end
