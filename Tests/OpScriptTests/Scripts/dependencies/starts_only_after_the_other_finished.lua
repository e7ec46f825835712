-- `op` starts only after `other` has finished.
local queue = OperationQueue()
local log = {}
local first = Operation(function()
    sleep(0.01)
    log[#log + 1] = "first"
end)
local second = Operation(function() log[#log + 1] = "second" end)
second:addDependency(first)
queue:addOperations { second, first }
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(log, " ") == "first second")
