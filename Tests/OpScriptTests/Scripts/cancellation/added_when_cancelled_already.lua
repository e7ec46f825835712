-- Cancelled outside a queue, it finishes as cancelled when it is added, without its dependencies.
local gate = Gate "gate"
local op = Operation { dependencies = { gate }, main = function() error("must not run") end }
op:cancel()
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "cancelled")
gate:finish()
