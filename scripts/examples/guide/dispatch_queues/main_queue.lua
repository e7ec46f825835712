#!/usr/bin/env opscript
-- The main queue runs its tasks one after the other on the script thread. Tasks on other queues can bring
-- their results together there. The main chunk counts as running on the main queue.
-- In the guide: Dispatch Queues, "Performing Tasks on the Main Thread"

local pending = 3
local totals = {}

local function show(name, total)
    totals[#totals + 1] = ("%s %d"):format(name, total)
    pending = pending - 1
    if pending > 0 then return end
    table.sort(totals)
    print(table.concat(totals, ", "))
end

for name, limit in pairs { small = 10, medium = 100, large = 1000 } do
    DispatchQueue.global():async(function()
        local total = await(work.compute.primes(limit))
        DispatchQueue.main:async(function() show(name, total) end)
    end)
end

-- `sync` would wait for the main chunk itself. Call the function instead.
local ok, problem = pcall(function() DispatchQueue.main:sync(print) end)
print(ok, problem.code)

print(DispatchQueue.main == OperationQueue.main, Thread.current.isMainThread)
print("the main chunk ends")
