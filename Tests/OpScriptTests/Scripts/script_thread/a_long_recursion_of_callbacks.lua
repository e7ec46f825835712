-- A completion block that adds the next operation may do so any number of times; nothing nests.
local queue, count = OperationQueue(), 0
local done = Gate "done"
local function add()
    local op = Operation(function() count = count + 1 end)
    op.completionBlock = function()
        if count < 3000 then add() else done:finish() end
    end
    queue:addOperation(op)
end
add()
await(done)
assert(count == 3000)
