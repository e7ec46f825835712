#!/usr/bin/env opscript
-- A semaphore limits how many tasks use a finite resource, here open files. A task waits for the semaphore
-- before it opens its file. It signals the semaphore after it has closed the file, even after an error.
-- In the guide: Dispatch Queues, "Using Dispatch Semaphores to Regulate the Use of Finite Resources"

local limit = 2
local descriptors = DispatchSemaphore(limit)
local open, most = 0, 0

-- Waits for the semaphore, and signals it when the caller's `<close>` variable goes out of scope.
local function take()
    descriptors:wait()
    return setmetatable({}, { __close = function() descriptors:signal() end })
end

local path = await(work.file.temporary())
await(work.file.write(path, "some text\n"))

local lengths = {}
local group, queue = DispatchGroup(), DispatchQueue.global()
for i = 1, 6 do
    queue:async { function()
        local permit <close> = take()
        local file <close> = assert(io.open(path))
        open = open + 1
        most = math.max(most, open)
        sleep(0)                                -- other tasks run while the file is open
        lengths[i] = #file:read("a")
        open = open - 1
    end, group = group }
end
group:wait()
await(work.file.remove(path))

print(table.concat(lengths, " "))
print("at most " .. most .. " files were open at once")
-- All signals have been given back. A wait with a limit of 0 returns at once.
print(descriptors:wait(0), descriptors:wait(0), descriptors:wait(0))
