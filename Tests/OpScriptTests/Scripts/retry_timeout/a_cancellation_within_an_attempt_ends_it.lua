-- Cancelled within an attempt, it is not tried again.
local started, count = Gate "started", 0
local op = Operation { retry = { attempts = 5, delay = 0 }, main = function()
    count = count + 1
    started:finish()
    sleep(60)
end }
OperationQueue():addOperation(op)
await(started)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and count == 1)
