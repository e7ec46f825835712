-- An operation that a dispatch queue refused is as if it had never been given to it.
local dispatch, queue = DispatchQueue "d", OperationQueue()
local op = Operation { work = "compute.primes", args = { 10 }, resources = { unknown = 1 } }
assert(not pcall(dispatch.async, dispatch, op))
op.resources = nil
queue:addOperation(op)
queue:waitUntilAllOperationsAreFinished()
assert(op.result == 4 and op.queue == queue and queue.operationCount == 0)
