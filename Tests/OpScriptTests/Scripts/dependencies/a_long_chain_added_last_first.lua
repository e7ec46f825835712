-- A long chain runs in order, in any order of addition, and in no quadratic time.
local n, count, ops = 5000, 0, {}
for i = 1, n do
    ops[i] = Operation(function()
        count = count + 1
        assert(count == i, "out of order")
    end)
    if i > 1 then ops[i]:addDependency(ops[i - 1]) end
end
local queue = OperationQueue()
for i = n, 1, -1 do queue:addOperation(ops[i]) end
queue:waitUntilAllOperationsAreFinished()
assert(count == n and ops[n].outcome == "succeeded")
