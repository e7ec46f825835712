-- One queue is one Lua value: it can be compared with `==` and be a table key.
local queue = OperationQueue()
local set = { [queue] = true }
local op = queue:addOperation(function() return OperationQueue.current end)
assert(rawequal(op.queue, queue) and set[op.queue])
op:waitUntilFinished()
assert(rawequal(op.result, queue))
assert(rawequal(OperationQueue.main, OperationQueue.main) and OperationQueue.main ~= OperationQueue.default)
