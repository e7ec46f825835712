-- The failure of the first operation skips all others.
local last = Operation(function() error("no", 0) end)
OperationQueue.default:addOperation(last)
for _ = 1, 5000 do
    local op = Operation(function() end)
    op:addDependency(last)
    OperationQueue.default:addOperation(op)
    last = op
end
