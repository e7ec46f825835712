#!/usr/bin/env opscript
-- A thread for a single task becomes a task on a concurrent queue. A worker thread becomes a serial queue.
-- A pool of threads becomes an operation queue with a width.
-- In the guide: Migrating Away from Threads, "Replacing Threads with Dispatch Queues"

-- A thread for a single task.
local single = DispatchQueue.global():async(work.compute.primes(1000))

-- A worker thread with a list of jobs: the serial queue is the list.
local worker = DispatchQueue { label = "worker" }
local log = {}
for _, job in ipairs { "open", "write", "close" } do
    worker:async(function() log[#log + 1] = job end)
end

-- A pool of four threads: at most four tasks execute at a time.
local pool = OperationQueue { name = "pool", maxConcurrentOperationCount = 4 }
local inside, most = 0, 0
local digests = pool:map({ "a", "b", "c", "d", "e", "f" }, function(text)
    return Operation {
        name = text,
        main = function()
            inside = inside + 1
            most = math.max(most, inside)
            local digest = await(work.digest.crc32(text))
            inside = inside - 1
            return digest
        end,
    }
end)

print("single task", await(single))
print("worker", worker:sync(function() return table.concat(log, " ") end))
print("pool", #digests .. " digests", "width kept " .. tostring(most <= 4))
for i, digest in ipairs(digests) do print(i, digest) end
