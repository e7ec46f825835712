-- `qualityOfService` never reorders inside a queue.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local log = {}
for _, class in ipairs { "background", "userInteractive", "utility", "userInitiated", "default" } do
    queue:addOperation(Operation { qualityOfService = class, main = function() log[#log + 1] = class end })
end
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(log, " ") == "background userInteractive utility userInitiated default")
