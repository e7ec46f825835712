#!/usr/bin/env opscript
-- A producer adds each item to the consumer's queue as a task. The queue is the buffer, and it starts the
-- consumer's work. Neither a lock nor a condition is needed. A serial queue keeps the order of the items;
-- a concurrent queue would process several at a time.
-- In the guide: Migrating Away from Threads, "Changing Producer-Consumer Implementations"

local consumer = DispatchQueue { label = "consumer" }
local producers, all = DispatchQueue.global(), DispatchGroup()
local processed = { a = {}, b = {} }

local function produce(name, count)
    for item = 1, count do
        consumer:async { function()
            local list = processed[name]
            list[#list + 1] = item * item
        end, group = all }
        sleep(0)                                -- the other producer runs
    end
end

producers:async { function() produce("a", 4) end, group = all }
producers:async { function() produce("b", 3) end, group = all }
all:wait()
print("a", table.concat(processed.a, " "))
print("b", table.concat(processed.b, " "))

-- `map` limits how many items are in progress. It asks for the next item only when one has finished, so
-- the producer cannot run ahead.
local produced = 0
local function items()
    produced = produced + 1
    return produced <= 20 and produced or nil
end
local queue = OperationQueue { name = "consumers" }
local lengths = queue:map(items, function(item) return work.digest.crc32(("x"):rep(item)) end, { limit = 4 })
print(#lengths .. " items processed")
