-- 100 000 timers that were made, scheduled, fired and dropped leave no memory, including those that refer to themselves.
-- measures: memory
-- process: own
-- script-arguments: 100000
local queue = OperationQueue()
local makers = {
    function() local timer timer = Timer { interval = 60, block = function() return timer end, userInfo = {} } timer.userInfo.timer = timer end,
    function() local timer timer = Timer.scheduledTimer { interval = 60, repeats = true, block = function() return timer end } timer:invalidate() end,
    function() local timer timer = Timer.scheduledTimer(0, false, function() return timer end) end,
    function() local target = { fires = print } target.timer = Timer { interval = 60, target = target, selector = "fires" } end,
    function() local list = { { fires = print }, "fires" } list[3] = Timer { interval = 60, invocation = list } end,
    function() local timer timer = Timer { interval = 60, queue = queue, operation = function() return timer end } end,
    function() local timer timer = Timer { interval = 60, block = function() return timer end } timer:fire() end,
}
local function make(count)
    for i = 1, count do
        makers[i % #makers + 1]()
        if i % 100 == 0 then sleep(0) end
    end
    sleep(0.001)
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
assert(resident() - whole < 10000, resident() - whole)
