#!/usr/bin/env opscript
-- The thread priority is a number from 0.0 to 1.0, and the default is 0.5. It selects a thread with a
-- suitable niceness for the body of a Swift closure. It affects neither Lua code nor the order in the
-- queue.
-- In the guide: Operation Queues, "Changing the Underlying Thread Priority"

local queue = OperationQueue { name = "mixed" }

-- Work that should not disturb anything else gets a low priority, before it is added.
local background = work.compute.primes(20000)
background.name, background.threadPriority = "background", 0.1

local ordinary = work.compute.primes(20000)
ordinary.name = "ordinary"

local ok, problem = pcall(function() ordinary.threadPriority = 2 end)
print("out of range", ok, problem.code)

queue:addOperations({ background, ordinary }, true)
for _, operation in ipairs { background, ordinary } do
    print(operation.name, operation.threadPriority, operation.result)
end

ok, problem = pcall(function() background.threadPriority = 0.9 end)
print("too late", ok, problem.code)
