#!/usr/bin/env opscript
-- A script can get the current queue, the main queue and the global queues. In the main chunk, the current
-- queue is the main queue. In a task it is the queue of that task, even after a wait.
-- In the guide: Dispatch Queues, "Getting Common Queues at Runtime"

local function where()
    local queue = DispatchQueue.current
    if queue == DispatchQueue.main then return "main" end
    if queue == DispatchQueue.global() then return "global" end
    return queue and queue.label or "none"
end
print("main chunk", where())

local queue = DispatchQueue { label = "own" }
queue:sync(function()
    print("task", where())
    sleep(0)
    print("task, after a wait", where())
end)
DispatchQueue.global():sync(function() print("global task", where()) end)

-- A completion block belongs to no queue.
local task = queue:async(function() end)
task.completionBlock = function() print("completion block", where()) end
task:waitUntilFinished()

DispatchQueue.main:async(function() print("main task", where()) end)
