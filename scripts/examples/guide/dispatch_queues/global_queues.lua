#!/usr/bin/env opscript
-- The global queues are concurrent, and there is one for each quality of service. A script gets them and
-- never creates them. The quality of service selects the class of worker that runs a Swift closure.
-- In the guide: Dispatch Queues, "Getting the Global Concurrent Dispatch Queues"

local names = { "high", "default", "low", "background" }
for _, name in ipairs(names) do
    local queue = DispatchQueue.global(name)
    -- Each call returns the same queue.
    print(name, queue.qos, queue == DispatchQueue.global(name))
end
print("no name", DispatchQueue.global() == DispatchQueue.global("default"))

-- A concurrent queue starts the second task while the first one waits.
local overtaken = DispatchSemaphore(0)
local group = DispatchGroup()
local queue = DispatchQueue.global()
queue:async { function() overtaken:wait() print("first in, last out") end, group = group }
queue:async { function() print("second in, first out") overtaken:signal() end, group = group }
group:wait()

-- Swift closures run in parallel.
local counts = {}
for place, limit in ipairs { 100, 1000, 10000 } do
    local count = DispatchQueue.global("high"):async { work.compute.primes(limit), group = group }
    count.completionBlock = function() counts[place] = count.result end
end
group:wait()
print(table.concat(counts, " "))

-- All code shares the global queues, so a script cannot suspend one.
local ok, problem = pcall(queue.suspend, queue)
print(ok, problem.code)
