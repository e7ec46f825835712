-- `start = fn(op)`: asynchronous, ends with `op:finish(...)`, whose arguments are its results.
local op = Operation { start = function(self)
    assert(self.isExecuting)
    Timer.scheduledTimer(0.002, false, function() self:finish(1, nil, 3) end)
end }
assert(op.isAsynchronous == true and op.isConcurrent == true)
OperationQueue():addOperation(op)
sleep(0)
assert(op.isExecuting, "it ended when start returned")
op:waitUntilFinished()
assert(select("#", op:results()) == 3 and op.result == 1 and select(3, op:results()) == 3)
