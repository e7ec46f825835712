-- A handler that suspends its own queue and merges more leaves calls behind; with `keepsAlive = false` they are not named.
local queue = OperationQueue { name = "held" }
local source = DispatchSource.userDataAdd(queue)
source.keepsAlive = false
local calls = 0
source:setEventHandler(function()
    calls = calls + 1
    queue.isSuspended = true
    source:mergeData(5)
end)
source:activate()
source:mergeData(1)
repeat sleep(0) until calls > 0
sleep(0)
assert(calls == 1 and queue.isSuspended)
