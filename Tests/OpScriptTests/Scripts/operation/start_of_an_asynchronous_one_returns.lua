-- `op:start()`: an asynchronous operation continues after `start` has returned.
local op = Operation { start = function() end }
op:start()
assert(op.isExecuting and not op.isFinished)
op:finish("later")
op:waitUntilFinished()
assert(op.result == "later" and op.outcome == "succeeded")
