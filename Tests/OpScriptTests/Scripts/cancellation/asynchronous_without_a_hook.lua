-- An asynchronous one whose `start` has returned finishes without a hook.
local op = Operation { start = function() end }
OperationQueue():addOperation(op)
while not op.isExecuting do sleep(0) end
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled")
op:finish("ignored")
assert(op.result == nil)
