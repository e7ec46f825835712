-- Cancelling the operation stops a running isolate, even one in an endless loop that catches errors.
local gate = Gate "started"
local loops = isolate(function()
    while true do pcall(function() while true do pcall(error) end end) end
end)
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local first, second = loops(), loops()
queue:addOperations { first, second }
while not (first.isExecuting and second.isExecuting) do sleep(0.001) end
first:cancel()
assert(first:waitUntilFinished() and first.outcome == "cancelled")
assert(second.isExecuting)
queue:cancelAllOperations()
queue:waitUntilAllOperationsAreFinished()
assert(second.outcome == "cancelled")
-- The state and the thread are fine afterwards.
assert(await(isolate(function() return 5 end)()) == 5)
