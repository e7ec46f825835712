-- Executing: a Swift closure sees the cancellation.
local op = work.sleep(600)
OperationQueue():addOperation(op)
while not op.isExecuting do sleep(0.001) end
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and op.result == nil and op.error == nil)
