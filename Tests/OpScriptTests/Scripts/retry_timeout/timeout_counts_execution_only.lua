-- `timeout`: seconds an attempt may execute; the time in a queue does not count.
local queue = OperationQueue { isSuspended = true }
local op = Operation { timeout = 0.1, main = function() return "in time" end }
queue:addOperation(op)
sleep(0.12)
assert(not op.isFinished)
queue.isSuspended = false
op:waitUntilFinished()
assert(op.outcome == "succeeded" and op.result == "in time")
