#!/usr/bin/env opscript
-- A suspended queue starts no tasks. Suspensions are counted, so each one needs its own `resume`. A task
-- that is already running continues.
-- In the guide: Dispatch Queues, "Suspending and Resuming Queues"

local queue = DispatchQueue { label = "press" }
local paused = DispatchSemaphore(0)

local running = queue:async(function()
    queue:suspend()
    paused:wait()
    print("the running task ends")
end)
local waiting = queue:async(function() print("the waiting task runs") end)

sleep(0)                                        -- the first task runs up to its wait
queue:suspend()                                 -- the second suspension
paused:signal()
running:waitUntilFinished()
print("waiting", waiting.state)

queue:resume()
sleep(0)
print("resumed once", waiting.state)

queue:resume()
waiting:waitUntilFinished()

local ok, problem = pcall(queue.resume, queue)
print("resumed once too often", ok, problem.code)
