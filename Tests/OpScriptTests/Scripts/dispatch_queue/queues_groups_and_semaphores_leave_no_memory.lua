-- 100 000 queues, groups and semaphores that were made, used and dropped leave no memory.
-- measures: memory
-- script-arguments: 100000
local target = DispatchQueue "target"
local function make(count)
    for i = 1, count do
        local queue = DispatchQueue { label = "q" .. i, target = i % 100 == 0 and target or nil }
        queue.context = { queue }
        if i % 10 == 0 then queue:async(function() return queue end) end
        if i % 50 == 0 then queue:suspend() end
        local group = DispatchGroup()
        group:enter()
        group.context = group
        if i % 10 == 0 then
            group:notify(queue, function() return group, queue end)
            group:leave()
        end
        local semaphore = DispatchSemaphore(i % 2)
        semaphore:signal()
        semaphore.context = semaphore
        if i % 50 == 0 then queue:resume() end
        if i % 200 == 0 then sleep(0) end
    end
    target:sync(function() end)
    sleep(0.01)
    collectgarbage()
    sleep(0)
    collectgarbage()
end
local function resident()
    for line in io.lines("/proc/self/status") do
        local kilobytes = line:match("^VmRSS:%s+(%d+)")
        if kilobytes then return tonumber(kilobytes) end
    end
end
make(10000)
local lua, whole = collectgarbage("count"), resident()
make(tonumber(arg[1]))
assert(collectgarbage("count") - lua < 500, collectgarbage("count") - lua)
-- A queue that stayed would be at least 400 bytes: 40 MB in all.
assert(resident() - whole < 20000, resident() - whole)
