-- Finalizers may add operations at any moment, also while others are made, added and waited for.
-- collector: own
local queue = OperationQueue()
local stop = false
local n = 0
local function arm()
    setmetatable({}, { __gc = function()
        if stop then return end
        n = n + 1
        for i = 1, 300 do queue:addOperation(work.json.encode({ i })) end
        arm()
    end })
end
for i = 1, 20 do arm() end
for round = 1, 60 do
    local list = {}
    for i = 1, 300 do list[i] = work.json.encode({ i }) end
    local results = await.all(list)
    assert(#results == 300)
end
stop = true
queue:waitUntilAllOperationsAreFinished()
assert(n > 0, n)
