-- A cycle is refused at `addDependency` even when the operations are in queues already.
local queue = OperationQueue { isSuspended = true }
local a, b = Operation { name = "a", main = function() end }, Operation { name = "b", main = function() end }
queue:addOperations { a, b }
b:addDependency(a)
assert(not pcall(function() a:addDependency(b) end))
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(a.outcome == "succeeded" and b.outcome == "succeeded")
