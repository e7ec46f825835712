#!/usr/bin/env opscript
-- A serial queue runs one task at a time, in the order of addition. A task that waits still has the queue
-- for itself. The label of the queue appears in messages.
-- In the guide: Dispatch Queues, "Creating Serial Dispatch Queues", listing 3-2

local printer = DispatchQueue { label = "printer" }

for page = 1, 3 do
    printer:async(function()
        local digest = await(work.digest.crc32("page " .. page))
        print("page " .. page, digest)
    end)
end

-- Waits until all tasks before this one have ended.
printer:sync(function() print(printer.label .. " is idle") end)

-- Give each queue a purpose, such as a resource that it protects.
local ink = DispatchQueue { label = "ink" }
local left = 10
for _, needed in ipairs { 4, 3, 5 } do
    ink:async(function()
        if needed > left then return print("not enough ink for " .. needed) end
        local before = left
        sleep(0)                                -- other code runs, but no task of this queue
        left = before - needed
    end)
end
print("left", ink:sync(function() return left end))
