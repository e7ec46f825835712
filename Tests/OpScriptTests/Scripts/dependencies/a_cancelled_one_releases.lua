-- A dependency is released when the other has finished, cancelled or not.
local ran = false
local gone = Operation { name = "gone", main = function() error("must not run") end }
local op = Operation(function() ran = true end)
op:addDependency(gone)
gone:cancel()
OperationQueue():addOperations({ op, gone }, true)
assert(gone.outcome == "cancelled" and op.outcome == "succeeded" and ran)
