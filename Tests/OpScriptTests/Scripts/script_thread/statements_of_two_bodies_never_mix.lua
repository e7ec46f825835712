-- Two pieces of Lua never run at the same time: between two waits a script needs no lock.
local queue = OperationQueue()
local inside, entered = 0, 0
for _ = 1, 20 do
    queue:addOperation(function()
        inside = inside + 1
        assert(inside == 1, "two bodies were between two waits at once")
        for _ = 1, 2000 do entered = entered + 0 end
        entered = entered + 1
        inside = inside - 1
    end)
end
queue:waitUntilAllOperationsAreFinished()
assert(entered == 20)
