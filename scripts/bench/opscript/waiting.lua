-- waiting.lua N: Lua bodies that wait once, to count instructions.
local n = math.tointeger(arg[1])
local queue, ended = OperationQueue(), 0
local function body()
    sleep(0)
    ended = ended + 1
end
for _ = 1, n do queue:addOperation(body) end
queue:waitUntilAllOperationsAreFinished()
assert(ended == n, "some bodies did not run")
