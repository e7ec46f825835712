-- `allowsFailure = true`: its failure does not make the run fail.
-- expect-status: 0
local op = Operation { allowsFailure = true, main = function() error("expected") end }
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "failed" and op.error.message:find("expected$"))
