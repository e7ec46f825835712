-- Exit status 1: an operation failed.
-- expect-status: 1
-- expect-stderr: the printer is on fire
local queue = OperationQueue()
queue:addOperation(Operation { name = "printer", main = function() error("the printer is on fire") end })
queue:waitUntilAllOperationsAreFinished()
