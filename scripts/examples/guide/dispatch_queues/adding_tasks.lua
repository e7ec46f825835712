#!/usr/bin/env opscript
-- `async` adds a task and returns at once. `sync` adds a task, waits until it has ended, and returns its
-- results. Prefer `async`; use `sync` where the code cannot continue without the task.
-- In the guide: Dispatch Queues, "Adding a Single Task to a Queue"

local queue = DispatchQueue { label = "tasks" }

local first = queue:async(function() print("first task") end)
print("first task is " .. (first.isFinished and "done" or "not done yet"))

local sum, product = queue:sync(function()
    print("second task")
    return 3 + 4, 3 * 4
end)
print("both tasks are done", sum, product)

-- A task may be a Swift closure, or a work item, which can be cancelled.
print(queue:sync(work.compute.primes(100)))

local item = DispatchWorkItem(function() print("never runs") end)
queue:async(item)
item:cancel()
print("cancelled", item.isCancelled)

-- The error of a task is raised by `sync`.
print(pcall(queue.sync, queue, function() error("no paper", 0) end))
