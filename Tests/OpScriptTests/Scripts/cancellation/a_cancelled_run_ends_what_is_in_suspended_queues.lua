-- When the run is cancelled, what is in suspended queues ends as well: completion blocks run, cancel handlers too, and nothing is
-- waited for, not even for items that are due in an hour.
-- expect-status: 1
-- expect-stderr: in_suspended_queues.lua:40: the end
-- expect-stdout: main	false	cancelled	true
-- expect-stdout: one	cancelled
-- expect-stdout: later	cancelled
-- expect-stdout: block	cancelled
-- expect-stdout: delayed	cancelled
-- expect-stdout: below	cancelled
-- expect-stdout: the source is cancelled
local ended = {}
local function tell(op, name)
    op.name = name
    op.completionBlock = function(op) ended[op.name] = op.outcome end
end
local queue = OperationQueue { name = "q", isSuspended = true }
tell(queue:addOperation(work.compute.primes(10)), "one")
tell(queue:addOperation(function() print "never" end, { after = 3600 }), "later")
local serial = DispatchQueue "serial"
serial:suspend()
tell(serial:async(function() print "never" end), "block")
tell(serial:asyncAfter(3600, function() print "never" end), "delayed")
local below = DispatchQueue { label = "below", target = serial }
tell(below:async(function() print "never" end), "below")
local source = DispatchSource.userDataAdd(serial)
source:setEventHandler(function() print "never" end)
source:setCancelHandler(function() ended.source = true end)
source:activate()
source:mergeData(1)
-- Printed in an order of their own, once all have ended.
Timer.scheduledTimer { interval = 0, block = function()
    local ok, problem = pcall(sleep, 3600)
    print("main", ok, problem.code, queue.isSuspended)
    shield(function() while not (ended.source and ended.below and ended.delayed and ended.block and ended.later) do sleep(0) end end)
    for _, name in ipairs { "one", "later", "block", "delayed", "below" } do print(name, ended[name]) end
    print "the source is cancelled"
end }
sleep(0.001)
error("the end")
