-- `state`: "pending", "ready", "executing", "finished".
local first, gate = Gate "first", Gate "gate"
local queue = OperationQueue { isSuspended = true }
local started = Gate "started"
local op = Operation(function(self)
    started:finish(self.state)
    await(gate)
end)
op:addDependency(first)
queue:addOperation(op)
assert(op.state == "pending" and not op.isExecuting and not op.isFinished)
first:finish()
sleep(0)
assert(op.state == "ready" and not op.isExecuting)
queue.isSuspended = false
assert(await(started) == "executing")
assert(op.state == "executing" and op.isExecuting and not op.isFinished and op.outcome == nil)
gate:finish()
op:waitUntilFinished()
assert(op.state == "finished" and not op.isExecuting and op.isFinished)
