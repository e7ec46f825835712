-- A coroutine that leaves a shield in another task removes no shield there.
-- arguments: --virtual
local leave = coroutine.wrap(function() shield(function() coroutine.yield() end) end)
leave()
local slept
local operation = Operation(function()
    leave()
    shield(function() slept = pcall(sleep, 0.02) end)
end)
OperationQueue():addOperation(operation)
sleep(0.01)
operation:cancel()
operation:waitUntilFinished()
assert(slept)
