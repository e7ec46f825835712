#!/usr/bin/env opscript
-- Three counters, each on a thread of its own, which really run at the same time; the script waits for all of them.
--
--     opscript three_counters.lua [LIMIT]
--
-- A Lua function that is to run beside the script is an isolate: it is copied with its captured variables, and runs in a Lua
-- state of its own. It gets arguments and returns results; nothing else is shared.

local limit = tonumber(arg[1]) or 100000

-- Captured by the isolate below, so it is copied along.
local function isWanted(number, step) return number % step == 0 end

local function count(limit, step)
    local found = 0
    for number = 1, limit do
        if isWanted(number, step) then found = found + 1 end
    end
    return found, Thread.current.name
end

local threads = {}
for step = 2, 4 do
    threads[#threads + 1] = Thread {
        name = "by " .. step,
        isolate = count,
        args = { limit, step },
        stackSize = 1 << 20,
        qualityOfService = "utility",
    }
end
print(("%d threads, none of them started: %s"):format(#threads, tostring(threads[1])))
for _, thread in ipairs(threads) do thread:start() end

local total = 0
for _, thread in ipairs(threads) do
    -- Waits without delaying the rest of the script: timers fire, operations continue.
    thread:join()
    local found, name = thread:results()
    print(("%s: %d of %d"):format(name, found, limit))
    total = total + found
end
print("together " .. total)
