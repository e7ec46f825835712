-- An asynchronous operation is executing, in its slot, until it is finished.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local ran = false
local open = Operation { start = function() end }
queue:addOperation(open)
queue:addOperation(function() ran = true end)
sleep(0.005)
assert(open.isExecuting and not ran)
open:finish()
queue:waitUntilAllOperationsAreFinished()
assert(ran)
