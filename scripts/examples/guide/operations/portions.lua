#!/usr/bin/env opscript
-- An operation should do a reasonable amount of work. Here a hundred values become ten operations with ten
-- values each. For a long list, `map` keeps only a few operations alive: it creates the next one when one
-- has finished.
-- In the guide: Operation Queues, "Determining an Appropriate Scope for Operation Objects"

local queue = OperationQueue { name = "sums" }

local values, size = {}, 10
for i = 1, 100 do values[i] = i end

local sums = {}
for first = 1, #values, size do
    sums[#sums + 1] = queue:addOperation(function()
        local sum = 0
        for i = first, math.min(first + size - 1, #values) do sum = sum + values[i] end
        return sum
    end)
end
queue:waitUntilAllOperationsAreFinished()

local total = 0
for _, sum in ipairs(sums) do total = total + sum.result end
print(#values .. " values, " .. #sums .. " operations, sum " .. total)

-- An iterator supplies the limits. At most four operations exist at a time.
local function limits()
    local count = 0
    return function()
        count = count + 1
        if count <= 50 then return count * 10 end
    end
end
local alive, most = 0, 0
local counts = queue:map(limits(), function(limit)
    local primes = work.compute.primes(limit)
    alive = alive + 1
    most = math.max(most, alive)
    primes.completionBlock = function() alive = alive - 1 end
    return primes
end, { limit = 4 })
print(#counts .. " counts, the last one " .. counts[#counts])
print("at most 4 at a time", most <= 4)
