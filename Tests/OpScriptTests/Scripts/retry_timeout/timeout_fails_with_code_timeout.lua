-- `timeout`: then it is cancelled and its outcome is "failed", code `timeout`.
local op = work.sleep(60)
op.timeout = 0.02
op.allowsFailure = true
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "failed", tostring(op.outcome))
assert(op.error.code == "timeout", op.error.code)
