#!/usr/bin/env opscript
-- `Thread.detach` creates a thread and starts it. The thread runs beside the script and does not have to
-- be joined. Its body is a work or an isolate. A plain Lua function is refused, because a Lua state
-- belongs to one thread.
-- In the guide: Threading Programming Guide, "Using NSThread"

-- A function that only computes becomes an isolate, and receives what it needs as arguments.
local countWords = isolate(function(text)
    local count = 0
    for _ in text:gmatch("%a+") do count = count + 1 end
    return count, Thread.current.isMainThread
end)

local words = Thread.detach(countWords, "one thread for one body")
local primes = Thread.detach("compute.primes", 1000)
print("the script continues", Thread.current.isMainThread)

-- A thread keeps the run alive until it ends. Join a thread only if you need its result.
words:join()
primes:join()
print(words:results())
print(primes:results())

local ok, problem = pcall(Thread.detach, function() end)
print("a bare function", ok, problem.code)
