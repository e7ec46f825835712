-- `isReady`: all dependencies are released; it stays true while executing and after.
local first, started, gate = Operation(function() end), Gate "started", Gate "gate"
local op = Operation(function(self)
    assert(self.isReady)
    started:finish()
    await(gate)
end)
op:addDependency(first)
assert(op.isReady == false)
OperationQueue():addOperations { first, op }
await(started)
assert(op.isReady and op.isExecuting)
gate:finish()
op:waitUntilFinished()
assert(op.isReady and op.isFinished)
