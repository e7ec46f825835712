-- Cancelling a BlockOperation interrupts the waits of all its blocks.
local count, started = 0, Gate "started"
local function block()
    count = count + 1
    if count == 3 then started:finish() end
    sleep(60)
    error("not reached")
end
local op = BlockOperation(block, block, block)
OperationQueue():addOperation(op)
await(started)
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled" and op.error == nil)
