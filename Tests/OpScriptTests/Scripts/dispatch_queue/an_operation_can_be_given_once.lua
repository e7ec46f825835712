-- An operation that is in a queue, executes or has finished cannot be given to a dispatch queue.
local queue = DispatchQueue "q"
queue:suspend()
local op = Operation(function() end)
assert(queue:async(op) == op and op.queue == queue)
local function refused()
    for _, call in ipairs { "async", "sync" } do
        local ok, err = pcall(queue[call], queue, op)
        assert(not ok and err.code == "misuse", err)
    end
end
refused()
queue:resume()
op:waitUntilFinished()
refused()
assert(op.queue == queue)
