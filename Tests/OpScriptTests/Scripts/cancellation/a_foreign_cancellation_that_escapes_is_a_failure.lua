-- A `cancelled` error of an awaited operation that escapes makes the outcome "failed".
local gone = Operation { name = "gone", main = function() end }
gone:cancel()
local op = Operation { allowsFailure = true, main = function() await(gone) end }
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "failed" and not op.isCancelled)
assert(op.error.code == "cancelled", op.error.code)
