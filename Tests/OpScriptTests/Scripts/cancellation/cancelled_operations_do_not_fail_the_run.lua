-- Cancelled operations never set status 1 themselves.
-- expect-status: 0
local queue = OperationQueue()
local never, running = Operation(function() end), Operation(function() sleep(60) end)
never:cancel()
queue:addOperations { never, running, work.sleep(60) }
sleep(0)
queue:cancelAllOperations()
queue:waitUntilAllOperationsAreFinished()
assert(never.outcome == "cancelled" and running.outcome == "cancelled")
