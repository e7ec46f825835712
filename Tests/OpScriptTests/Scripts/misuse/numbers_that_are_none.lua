-- NaN and infinity are refused where they mean nothing, and every message names them the same way.
local op, nan = Operation(function() end), 0 / 0
local function refused(text, body, ...)
    local ok, problem = pcall(body, ...)
    assert(not ok and tostring(problem):find(text, 1, true), problem)
end
local function set(key, value) return function() op[key] = value end end
for _, number in ipairs { nan, -nan } do
    refused("got NaN", set("queuePriority", number))
    refused("got NaN", set("threadPriority", number))
    refused("got NaN", set("timeout", number))
    refused("got NaN", sleep, number)
    refused("got NaN", DispatchQueue.main.asyncAfter, DispatchQueue.main, number, print)
    refused("got NaN", DispatchSource.timer, { deadline = number })
    refused("got NaN", Timer.scheduledTimer, number, false, print)
end
refused("a finite number expected, got inf", set("queuePriority", 1 / 0))
refused("a finite number expected, got -inf", set("queuePriority", -1 / 0))
refused("would keep the run going", DispatchQueue.main.asyncAfter, DispatchQueue.main, math.huge, print)
op.queuePriority = 9                       -- other numbers are rounded towards normal
assert(op.queuePriority == "veryHigh")
op.queuePriority = -100
assert(op.queuePriority == "veryLow")
op:cancel()
op:start()
