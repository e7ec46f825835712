-- A closure that executes learns that its operation was cancelled, and one that waits does not start; later closures in their places are not affected.
local queue = OperationQueue()
local op = queue:addOperation(work.block(600))
local started = Gate "started"
op:observe("isExecuting", function(change) if change.new then started:finish() end end)
if op.isExecuting then started:finish() end
await(started)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled", op.outcome)

local limited = work.block(600)
limited.timeout = 0.01
limited.allowsFailure = true
queue:addOperation(limited)
limited:waitUntilFinished()
assert(limited.outcome == "failed" and limited.error.code == "timeout")

for i = 1, 100 do
    local other = queue:addOperation(work.compute.primes(10))
    other:waitUntilFinished()
    assert(other.outcome == "succeeded" and other.result == 4)
end
