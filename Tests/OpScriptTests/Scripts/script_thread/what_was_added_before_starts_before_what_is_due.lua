-- An operation that was added earlier starts before the block of a timer that is due by now, even if other turns wait.
-- expect-stdout: started
-- expect-stdout: timer
local gate = Gate "gate"
gate.completionBlock = function() end
local open = Operation { start = function() print "started" end }
OperationQueue():addOperation(open)
Timer.scheduledTimer(0.001, false, function()
    print "timer"
    open:finish()
end)
gate:finish()
local now = clock.now()
while clock.now() - now < 0.002 do end
