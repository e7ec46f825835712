-- `op:start()`: a Swift closure runs on a worker while `start` waits.
local op = work.block(0.01)
local others = 0
-- Its body can begin no earlier than the script waits.
async(function() others = others + 1 end)
assert(others == 0)
op:start()
assert(op.isFinished and op.outcome == "succeeded")
assert(others == 1, "nothing else ran while start waited")
