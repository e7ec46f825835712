#!/usr/bin/env opscript
-- A script can stop a long job in two ways. `cancel` stops an isolate anywhere in its Lua code, even in an
-- endless loop. A job that may stop only at certain places works in portions, and the script checks a
-- condition before each of them.
-- In the guide: Threading Programming Guide, "Terminating a Thread", listing 2-3

-- This job is stopped in the middle.
local endless = Thread.detach(isolate(function()
    local rounds = 0
    while true do rounds = rounds + 1 end
end))
print("executing", endless.isExecuting)
endless:cancel()
endless:join()
print("executing", endless.isExecuting, "cancelled", endless.isCancelled)

-- This job may stop between two portions.
local portion = isolate(function(first, last)
    local sum = 0
    for number = first, last do sum = sum + number end
    return sum
end)
local exitNow, total, portions = false, 0, 0
local job = async(function()
    while not exitNow and portions < 1000 do
        total = total + await(portion(portions * 100 + 1, (portions + 1) * 100))
        portions = portions + 1
        if total > 100000 then exitNow = true end
    end
    return total
end)
print("total", await(job), "portions", portions)
