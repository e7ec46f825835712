#!/usr/bin/env opscript
-- Keep a reference to an operation whose result you need: a queue lists only unfinished operations. An
-- operation carries its own data, in `userInfo` or in fields of a subclass. Do not attach data to a
-- thread, because the threads belong to the queues.
-- In the guide: Operation Queues, "Managing Memory in Operation Objects"

local queue = OperationQueue { name = "digests" }

local kept = {}
for _, word in ipairs { "one", "two", "three" } do
    local digest = work.digest.crc32(word)
    digest.userInfo = { word = word }
    kept[#kept + 1] = queue:addOperation(digest)
end
queue:waitUntilAllOperationsAreFinished()

print("the queue has " .. #queue.operations .. " operations")
for _, digest in ipairs(kept) do print(digest.userInfo.word, digest.result) end

-- The queue keeps an operation until its end. After that, an operation without references is collected.
local released = setmetatable({}, { __mode = "k" })
do
    local forgotten = queue:addOperation(work.compute.primes(100))
    released[forgotten] = true
end
queue:waitUntilAllOperationsAreFinished()
sleep(0)
collectgarbage()
collectgarbage()
print("collected", next(released) == nil)
