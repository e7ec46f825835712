-- An operation that is executing or finished can't be added to a queue.
local queue = OperationQueue()
local op = Operation { name = "started", start = function() end }
op:start()
local ok, err = pcall(function() queue:addOperation(op) end)
assert(not ok and tostring(err):find("started", 1, true), tostring(err))
op:finish()
op:waitUntilFinished()
assert(not pcall(function() queue:addOperation(op) end))
assert(op.queue == nil and queue.operationCount == 0)
