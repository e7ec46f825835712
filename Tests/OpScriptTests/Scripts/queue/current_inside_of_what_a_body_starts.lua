-- An operation that a body of a queue starts by hand has that queue as the current one; its own `queue` is nil.
local queue, seen = OperationQueue { name = "outer" }, {}
local function look(op)
    seen[#seen + 1] = OperationQueue.current
    sleep(0)
    assert(OperationQueue.current == seen[#seen] and op.queue == nil)
end
await(queue:addOperation(function()
    Operation(look):start()
    local Own = Operation:subclass "Own"
    function Own:start() look(self) self:finish() end
    Own():start()
    assert(OperationQueue.current == queue)
end))
assert(#seen == 2 and seen[1] == queue and seen[2] == queue)
local serial, inside = DispatchQueue "serial", nil
serial:sync(function() Operation(function() inside = DispatchQueue.current end):start() end)
assert(inside == serial)
Operation(function() inside = OperationQueue.current end):start()
assert(inside == OperationQueue.main or inside == nil)
