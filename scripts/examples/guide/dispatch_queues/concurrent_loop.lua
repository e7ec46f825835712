#!/usr/bin/env opscript
-- The iterations of this loop run concurrently, and the call returns when all have ended. Lua code runs on
-- one thread, so an iteration should await a Swift closure or an isolate; those run in parallel. Each
-- iteration writes to its own element, so the order does not matter.
-- In the guide: Dispatch Queues, "Performing Loop Iterations Concurrently", listing 3-5

local count = 8

-- The sequential loop.
local expected = {}
for i = 1, count do expected[i] = await(work.compute.primes(i * 500)) end

local found = {}
DispatchQueue.concurrentPerform(count, function(i)
    found[i] = await(work.compute.primes(i * 500))
end)
print(table.concat(found, " "))
print("same results", table.concat(found, " ") == table.concat(expected, " "))

-- An iteration may also return an operation, and the loop waits for it.
local digests = {}
DispatchQueue.concurrentPerform(3, function(i)
    digests[i] = work.digest.crc32("part " .. i)
    return digests[i]
end)
for i, digest in ipairs(digests) do print(i, digest.result) end

-- An error in an iteration is raised after all have ended.
local ended = 0
local ok, problem = pcall(DispatchQueue.concurrentPerform, 4, function(i)
    if i == 2 then error("iteration " .. i .. " failed", 0) end
    sleep(0)
    ended = ended + 1
end)
print(ok, problem, ended .. " have ended")
