-- Bodies, completion blocks and observers, of which each is long.
local function burn() local s = 0 for i = 1, 20000 do s = s + i end return s end
local queue, calls = OperationQueue { maxConcurrentOperationCount = 2 }, 0
for i = 1, 10 do
    local a = queue:addOperation(function() burn() return i end)
    a.completionBlock = function() burn() calls = calls + 1 end
    a:observe("isFinished", function() burn() calls = calls + 1 end)
end
queue:waitUntilAllOperationsAreFinished()
result = calls
