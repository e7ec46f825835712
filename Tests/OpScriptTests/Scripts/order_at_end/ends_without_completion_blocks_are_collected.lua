-- Operations whose ends were taken in while the script added others are garbage as soon as it has waited for them.
local queue = OperationQueue()
local operations = setmetatable({}, { __mode = "k" })
for _ = 1, 1000 do operations[queue:addOperation(work.compute.primes(1))] = true end
queue:waitUntilAllOperationsAreFinished()
-- The collector leaves objects that it has just visited for its next cycle.
collectgarbage()
collectgarbage()
local count = 0
for _ in pairs(operations) do count = count + 1 end
assert(count <= 1, count .. " of 1000 are still there")
