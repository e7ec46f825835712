-- An operation that cancels itself gets `cancelled` at its next wait.
local reached = false
local op = Operation(function(self)
    self:cancel()
    assert(self.isCancelled)
    sleep(60)
    reached = true
end)
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "cancelled" and not reached)
