-- Cancelling the waiter leaves the awaited operation running.
local started, gate = Gate "started", Gate "gate"
local awaited = OperationQueue():addOperation(function()
    await(gate)
    return "continued"
end)
local waiter = OperationQueue():addOperation(function()
    started:finish()
    await(awaited)
end)
await(started)
waiter:cancel()
waiter:waitUntilFinished()
assert(waiter.outcome == "cancelled" and not awaited.isFinished and not awaited.isCancelled)
gate:finish()
assert(await(awaited) == "continued")
