-- Ready operations start by priority, then in the order of addition.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local log = {}
for _, priority in ipairs { "low", "normal", "veryHigh", "veryLow", "high" } do
    for i = 1, 2 do
        queue:addOperation(Operation { queuePriority = priority, main = function()
            log[#log + 1] = priority .. i
        end })
    end
end
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(log, " ")
    == "veryHigh1 veryHigh2 high1 high2 normal1 normal2 low1 low2 veryLow1 veryLow2", table.concat(log, " "))
