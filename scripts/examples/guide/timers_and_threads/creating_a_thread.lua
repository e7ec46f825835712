#!/usr/bin/env opscript
-- This script creates threads and starts them later. A thread receives data as arguments and returns
-- results; nothing else is shared. Every thread can be joined, but none has to be, so there is no detached
-- state to set.
-- In the guide: Threading Programming Guide, "Using POSIX Threads", listing 2-1

local function sieve(limit)
    local composite, count = {}, 0
    for number = 2, limit do
        if not composite[number] then
            count = count + 1
            for multiple = number * number, limit, number do composite[multiple] = true end
        end
    end
    return count
end

local function launch(name, ...)
    return Thread { name = name, isolate = sieve, args = { ... } }
end

local threads = { launch("small", 1000), launch("large", 20000) }
for _, thread in ipairs(threads) do print(thread) end

for _, thread in ipairs(threads) do thread:start() end

-- `join` stops only the code that waits. With a time limit it returns whether the thread has ended.
for _, thread in ipairs(threads) do
    print(thread.name, thread:join(60), thread.result)
end

local ok, problem = pcall(threads[1].start, threads[1])
print("start again", ok, problem.code)
