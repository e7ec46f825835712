#!/usr/bin/env opscript
-- A completion block is called once, when the operation has ended with any outcome. It runs on the script
-- thread, before waiters continue. It should notify others and leave the work to operations.
-- In the guide: Operation Queues, "Setting Up a Completion Block"

local interested = {}
local function notify(operation)
    for _, listener in ipairs(interested) do listener(operation) end
end
interested[1] = function(op) print(op.name, op.outcome, op.result) end

local succeeding = Operation { name = "succeeding", main = function() return 42 end }
local failing = Operation { name = "failing", allowsFailure = true, main = function() error "no paper" end }
local cancelled = Operation { name = "cancelled", main = function() print("never") end }
cancelled:cancel()

local queue = OperationQueue { name = "reports", maxConcurrentOperationCount = 1 }
for _, operation in ipairs { succeeding, failing, cancelled } do
    operation.completionBlock = notify
    queue:addOperation(operation)
end
queue:waitUntilAllOperationsAreFinished()
print("the wait has returned")

-- The block is released after its call. A block that is set after the end is called at the next turn.
print(succeeding.completionBlock)
succeeding.completionBlock = function(op) print("called at the next turn", op.name) end
sleep(0)
