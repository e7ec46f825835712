#!/usr/bin/env opscript
-- Producers and consumers with a buffer of four places between them.
--
--     opscript producer_consumer.lua
--
-- Two semaphores count: one the free places, one the full ones. A producer that finds no place waits, a consumer that finds
-- nothing waits, and neither polls. The buffer itself needs no lock: all Lua code runs on one thread and is interrupted
-- only where it waits.

local places, producers, consumers, each = 4, 3, 2, 10

local free, full = DispatchSemaphore(places), DispatchSemaphore(0)
local buffer, mostInBuffer = {}, 0
local queue = DispatchQueue { label = "market", attributes = "concurrent" }
local production, consumption = DispatchGroup(), DispatchGroup()

local function put(item)
    free:wait()
    buffer[#buffer + 1] = item
    mostInBuffer = math.max(mostInBuffer, #buffer)
    full:signal()
end

local function take()
    full:wait()
    local item = table.remove(buffer, 1)
    free:signal()
    return item
end

for producer = 1, producers do
    queue:async { function()
        for number = 1, each do put { producer = producer, number = number } end
    end, group = production }
end

local last, sum, eaten = {}, 0, 0
for consumer = 1, consumers do
    queue:async { function()
        for item in take do
            if item == "end" then return end
            -- The items of one producer come out in the order of their production.
            assert(item.number == (last[item.producer] or 0) + 1)
            last[item.producer] = item.number
            -- Waits first and adds afterwards: in `sum = sum + await(…)`, others would add to the old sum meanwhile.
            local primes = await(work.compute.primes(100 * item.number))
            sum = sum + primes
            eaten = eaten + 1
        end
    end, group = consumption }
end

-- After the last item, each consumer gets a word that marks the end.
production:notify(queue, function()
    for _ = 1, consumers do put "end" end
end)
consumption:wait()

print(("%d items, %d primes, at most %d in the buffer"):format(eaten, sum, mostInBuffer))
