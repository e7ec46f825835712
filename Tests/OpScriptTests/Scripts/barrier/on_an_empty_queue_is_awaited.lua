-- A barrier on an empty queue belongs to the queue: `waitUntilAllOperationsAreFinished` includes it.
local queue = OperationQueue()
local ran = false
queue:addBarrierBlock(function()
    sleep(0.01)
    ran = true
end)
queue:waitUntilAllOperationsAreFinished()
assert(ran)
