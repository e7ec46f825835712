-- A body that raises after it was cancelled ends as cancelled, and the run does not fail by it.
-- expect-status: 0
local op = Operation(function(self)
    self:cancel()
    error("something broke on the way out")
end)
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "cancelled" and op.error == nil)
