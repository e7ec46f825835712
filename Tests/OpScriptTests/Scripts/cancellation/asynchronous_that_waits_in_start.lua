-- An asynchronous one that waits within `start` gets `cancelled` from that wait.
local code
local op = Operation { start = function()
    local _, err = pcall(sleep, 60)
    code = err.code
end }
OperationQueue():addOperation(op)
while not op.isExecuting do sleep(0) end
op:cancel()
op:waitUntilFinished()
assert(code == "cancelled" and op.outcome == "cancelled")
