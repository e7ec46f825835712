-- A fan in and a fan out: one starts after all, all start after one.
local n, before, after = 1000, 0, 0
local join = Operation(function() assert(before == n and after == 0) end)
local queue = OperationQueue()
for _ = 1, n do
    local feeder = Operation(function() before = before + 1 end)
    join:addDependency(feeder)
    queue:addOperation(feeder)
    local reader = Operation(function() after = after + 1 end)
    reader:addDependency(join)
    queue:addOperation(reader)
end
queue:addOperation(join)
queue:waitUntilAllOperationsAreFinished()
assert(join.outcome == "succeeded" and after == n)
