#!/usr/bin/env opscript
-- Replacements for a lock, a read-write lock, a join and a condition, for programmers who know threads.
--
--     opscript replacing_locks.lua
--
-- It follows the guide's chapter on migrating away from threads: instead of taking a lock around some code, that code is given
-- to a queue.

-- 1. A lock: a serial queue. The body waits in the middle, as one that reads a file would, and is still alone.
local account = DispatchQueue { label = "account" }
local balance = 0
local group = DispatchGroup()
for amount = 1, 20 do
    account:async { function()
        local before = balance
        sleep(0)
        balance = before + amount
    end, group = group }
end

-- 2. A join: a group. It waits for all begun work, in any queues.
group:wait()
print("balance", balance)

-- The holder of the lock returns a value: `sync`.
print("half", account:sync(function() return balance / 2 end))

-- 3. Several locks that are always taken together: queues with one target. They cannot be taken in the wrong order.
local both = DispatchQueue { label = "both" }
local left = DispatchQueue { label = "left", target = both }
local right = DispatchQueue { label = "right", target = both }
local inside, overlaps = 0, 0
for _ = 1, 5 do
    for _, queue in ipairs { left, right } do
        queue:async(function()
            inside = inside + 1
            if inside > 1 then overlaps = overlaps + 1 end
            sleep(0)
            inside = inside - 1
        end)
    end
end
both:sync(function() print("overlaps", overlaps) end)

-- 4. A read-write lock: a concurrent queue, and barriers that write.
local cache = DispatchQueue { label = "cache", attributes = "concurrent" }
local values, readers, mostReaders, writesAlone = {}, 0, 0, true
local function read(key)
    cache:async(function()
        readers = readers + 1
        mostReaders = math.max(mostReaders, readers)
        sleep(0)
        local _ = values[key]
        readers = readers - 1
    end)
end
for round = 1, 3 do
    for _ = 1, 4 do read(round) end
    cache:async { function()
        if readers > 0 then writesAlone = false end
        values[round] = round * round
    end, flags = "barrier" }
end
print("squares", cache:sync { function() return table.concat(values, " ") end, flags = "barrier" })
print("readers", mostReaders, "writes alone", writesAlone)

-- 5. A condition that is signalled: a semaphore, or a group's notification.
local isReady = DispatchSemaphore(0)
DispatchQueue.global():asyncAfter(0.01, function() isReady:signal() end)
print("ready", isReady:wait(10))

-- 6. A thread that does one thing after the other: again a serial queue, and no thread at all while there is nothing to do.
local writer = DispatchQueue { label = "writer" }
for line = 1, 3 do writer:async(function() print("line", line) end) end
writer:sync(function() end)
