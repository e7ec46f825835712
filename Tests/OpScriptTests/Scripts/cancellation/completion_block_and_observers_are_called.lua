-- A cancelled operation calls its completion block, once, and its observers.
-- expect-stdout: observer: cancelled
-- expect-stdout: completion block: cancelled
local op = Operation(function() end)
op:observe("outcome", function(change) print("observer: " .. change.new) end)
op.completionBlock = function(done) print("completion block: " .. done.outcome) end
op:cancel()
OperationQueue():addOperation(op)
op:waitUntilFinished()
op:cancel()
