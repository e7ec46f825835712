-- `timeout` of an asynchronous operation without a hook ends it as failed.
local op = Operation { timeout = 0.01, allowsFailure = true, start = function() end }
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "failed" and op.error.code == "timeout")
op:finish("too late")
assert(op.result == nil)
