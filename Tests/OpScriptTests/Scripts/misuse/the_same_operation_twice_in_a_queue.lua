-- An operation that is already in a queue cannot be added: an error.
local queue = OperationQueue { isSuspended = true }
local op = queue:addOperation(Operation { name = "twice", main = function() end })
for _, other in ipairs { queue, OperationQueue() } do
    local ok, err = pcall(function() other:addOperation(op) end)
    assert(not ok, "it was added a second time")
    assert(tostring(err):find("twice", 1, true), tostring(err))
end
assert(queue.operationCount == 1 and op.queue == queue)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
