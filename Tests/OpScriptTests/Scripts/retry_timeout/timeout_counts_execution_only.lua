-- `timeout`: seconds an attempt may execute; the time in a queue does not count.
local queue = OperationQueue { isSuspended = true }
local op = Operation { timeout = 2, main = function() return "in time" end }
queue:addOperation(op)
sleep(2.05)
assert(not op.isFinished)
queue.isSuspended = false
op:waitUntilFinished()
assert(op.outcome == "succeeded" and op.result == "in time")
