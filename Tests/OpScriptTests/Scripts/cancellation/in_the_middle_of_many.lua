-- Of many operations, exactly those that were cancelled do not run.
local queue = OperationQueue { maxConcurrentOperationCount = 2, isSuspended = true }
local ran, ops = {}, {}
for i = 1, 100 do
    ops[i] = queue:addOperation(function() ran[i] = true end)
end
for i = 3, 100, 3 do ops[i]:cancel() end
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
for i = 1, 100 do
    assert((ran[i] == true) == (i % 3 ~= 0), i)
    assert(ops[i].outcome == (i % 3 == 0 and "cancelled" or "succeeded"), i)
end
