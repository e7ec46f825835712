#!/usr/bin/env opscript
-- A loop with independent iterations becomes a concurrent loop. Its body receives the number of the
-- iteration. Each iteration awaits an isolate, so the computations use all cores. The call returns after
-- the last iteration.
-- In the guide: Migrating Away from Threads, "Improving on Loop Code", listing 5-3

local collatz = isolate(function(number)
    local steps = 0
    while number ~= 1 do
        number = number % 2 == 0 and number // 2 or 3 * number + 1
        steps = steps + 1
    end
    return steps
end)

local numbers = { 27, 97, 171, 231, 313, 327 }

-- Replaces: for i = 1, #numbers do steps[i] = await(collatz(numbers[i])) end
local steps = {}
DispatchQueue.concurrentPerform(#numbers, function(i)
    steps[i] = await(collatz(numbers[i]))
end)
for i, number in ipairs(numbers) do print(number, steps[i]) end
