-- The options of a thread are checked when it is made; a bare function is refused with an error that names isolate.
local function refused(pattern, fn, ...)
    local ok, message = pcall(fn, ...)
    assert(not ok, "not refused: " .. pattern)
    assert(message:find(pattern, 1, true), tostring(message))
end
local function body() end
refused("Thread { isolate = fn }", Thread, body)
refused("Thread { isolate = fn }", Thread, isolate(body))
refused("Thread.detach(isolate(fn), …)", Thread.detach, body)
refused("a function is given as 'isolate'", Thread, { work = body })
refused("a function is given as 'isolate'", Thread, { work = isolate(body) })
refused("one of 'work' and 'isolate' expected, got none", Thread, {})
refused("one of 'work' and 'isolate' expected, got both", Thread, { work = "block", isolate = body })
refused("there is no work 'compute.prime' (did you mean 'compute.primes'?)", Thread, { work = "compute.prime" })
refused("there is no work 'nothing.at.all'", Thread.detach, "nothing.at.all")
refused("bad value for 'isolate' (function expected, got number)", Thread, { isolate = 5 })
refused("Thread has no option 'nam' (did you mean 'name'?)", Thread, { isolate = body, nam = "x" })
refused("table expected, got number", Thread, 5)
refused("bad value for 'args' (table expected, got number)", Thread, { isolate = body, args = 5 })
refused("bad argument #1 to 'compute.primes' (integer expected, got string)", Thread, { work = "compute.primes", args = { "x" } })
refused("bad argument #1 to 'isolate' (a function cannot leave the script thread)", Thread, { isolate = body, args = { print } })
refused("a thread waits for no operation", Thread, { isolate = body, args = { Gate "g" } })
for _, size in ipairs { 0, -1, 100, 16385, 1 << 40, 0.5, "big" } do
    refused("bad value for 'stackSize'", Thread, { isolate = body, stackSize = size })
end
for _, priority in ipairs { -0.1, 1.1, 0 / 0, "high" } do
    refused("bad value for 'threadPriority' (number from 0 to 1 expected", Thread, { isolate = body, threadPriority = priority })
end
refused("bad value for 'qualityOfService'", Thread, { isolate = body, qualityOfService = "urgent" })

local thread = Thread {
    isolate = body, stackSize = 1 << 16, qualityOfService = "background", threadPriority = 0.25, name = "t",
}
assert(thread.stackSize == 65536 and thread.qualityOfService == "background" and thread.threadPriority == 0.25)
thread.threadPriority = 0.5
refused("'number' of Thread can only be read", function() thread.number = 1 end)
refused("Thread has no property 'isFinishd' (did you mean 'isFinished'?)", function() return thread.isFinishd end)
thread:start():join()
refused("can be set only before it is started", function() thread.stackSize = 1 << 16 end)
