-- An operation that only its queue knows is still the same value with the same contents after a collection.
local queue = OperationQueue { isSuspended = true }
do
    local op = Operation { name = "kept", main = function() return 1 end }
    op.userInfo = { mark = "here" }
    queue:addOperation(op)
end
collectgarbage()
collectgarbage()
local op = queue.operations[1]
assert(op.name == "kept" and op.userInfo.mark == "here")
queue.isSuspended = false
op:waitUntilFinished()
assert(op.result == 1 and op.userInfo.mark == "here")
