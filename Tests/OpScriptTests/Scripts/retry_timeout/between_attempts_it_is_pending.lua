-- Between attempts it is "pending".
local failed = Gate "failed"
local op = Operation { retry = { attempts = 2, delay = 600 }, main = function(self)
    assert(self.state == "executing")
    failed:finish()
    error("again")
end }
OperationQueue():addOperation(op)
await(failed)
sleep(0)
assert(op.state == "pending" and not op.isExecuting and not op.isFinished and op.outcome == nil)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled")
