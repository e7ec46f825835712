-- 100 000 operation queues that were made, used, observed and dropped leave no memory; nor do groups that were never added.
-- measures: memory
-- expect-stderr: was made but never added
-- process: own
-- script-arguments: 100000
local function make(count)
    for i = 1, count do
        local queue = OperationQueue { name = "q" .. i, maxConcurrentOperationCount = i % 3 + 1 }
        queue.userInfo = { queue }
        local observation = queue:observe("operationCount", function() return queue, i end)
        if i % 10 == 0 then queue:addOperation(function() return queue end).completionBlock = function() end end
        if i % 10 == 1 then queue:addOperation(work.compute.primes(2)) end
        if i % 10 == 2 then queue.isSuspended = true end
        if i % 10 == 3 then observation:invalidate() end
        if i % 50 == 0 then
            GroupOperation { name = "never added" }
            sleep(0)
        end
    end
    OperationQueue.default:addOperations({ function() end }, true)
    sleep(0.01)
    collectgarbage()
    sleep(0)
    collectgarbage()
    sleep(0)
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
assert(collectgarbage("count") - lua < 1000, collectgarbage("count") - lua)
-- A queue that stayed would be at least 400 bytes: 40 MB in all.
assert(resident() - whole < 20000, resident() - whole)
