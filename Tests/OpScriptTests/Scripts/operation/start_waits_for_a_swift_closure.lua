-- `op:start()`: a Swift closure runs on a worker while `start` waits.
local op = work.block(0.01)
local others = 0
local timer = Timer.scheduledTimer(0.001, true, function() others = others + 1 end)
op:start()
timer:invalidate()
assert(op.isFinished and op.outcome == "succeeded")
assert(others > 0, "nothing else ran while start waited")
