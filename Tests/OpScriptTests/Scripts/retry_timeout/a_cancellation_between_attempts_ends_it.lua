-- Cancelled between attempts, it is not tried again.
local failed = Gate "failed"
local op = Operation { retry = { attempts = 5, delay = 60 }, main = function(self)
    assert(self.attempt == 1)
    failed:finish()
    error("again")
end }
OperationQueue():addOperation(op)
await(failed)
sleep(0)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and op.attempt == 1 and op.error == nil)
