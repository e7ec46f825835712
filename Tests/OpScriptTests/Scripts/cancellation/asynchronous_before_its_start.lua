-- An asynchronous one that was cancelled before never gets `start` nor its hook called.
local called = 0
local function count() called = called + 1 end
local op = Operation { start = count, cancelled = count }
op:cancel()
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "cancelled" and called == 0)
