-- The error of a skipped operation says why: here that the other was cancelled.
local source = Operation { name = "source", main = function() end }
local op = Operation(function() end)
op:addDependency(source, "succeeded")
source:cancel()
OperationQueue():addOperations({ source, op }, true)
local message = op.error.message
assert(message:find("source", 1, true) and message:find("cancelled", 1, true), message)
