-- `resources` are taken before it starts and given back at its end.
OperationQueue.setResource("gpu", 2)
local queue = OperationQueue()
local now, most = 0, 0
for _ = 1, 6 do
    queue:addOperation(Operation { resources = { gpu = 1 }, main = function()
        now = now + 1
        most = math.max(most, now)
        sleep(0.002)
        now = now - 1
    end })
end
queue:waitUntilAllOperationsAreFinished()
assert(most == 2, "at once: " .. most)
