-- If the body returns after the cancellation, the operation still ends as cancelled.
local op = Operation(function(self)
    self:cancel()
    return "a value"
end)
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "cancelled" and op.result == nil and select("#", op:results()) == 0)
