-- `queuePriority` may be changed until it starts, and reorders.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local log, ops = {}, {}
for _, name in ipairs { "a", "b", "c", "d" } do
    ops[name] = queue:addOperation(Operation { name = name, main = function() log[#log + 1] = name end })
end
ops.a.queuePriority = "low"
ops.c.queuePriority = "veryHigh"
ops.d.queuePriority = "high"
ops.d.queuePriority = "veryLow"
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(log, " ") == "c b a d", table.concat(log, " "))
