-- `queuePriority` of one that is still queued may be changed by another body that runs.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local log = {}
local last = Operation { name = "last", main = function() log[#log + 1] = "last" end }
queue:addOperations {
    function()
        log[#log + 1] = "first"
        last.queuePriority = "veryHigh"
    end,
    function() log[#log + 1] = "second" end,
    last,
}
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(log, " ") == "first last second", table.concat(log, " "))
