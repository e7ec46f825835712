-- An asynchronous one whose `start` has returned gets its hook `cancelled` called and must finish itself.
local hooked
local op = Operation { start = function() end, cancelled = function(self) hooked = self end }
OperationQueue():addOperation(op)
while not op.isExecuting do sleep(0) end
op:cancel()
sleep(0.002)
assert(hooked == op and op.isCancelled and not op.isFinished, "the hook has not finished it")
op:finish("too late to count")
op:waitUntilFinished()
assert(op.outcome == "cancelled" and op.result == nil)
