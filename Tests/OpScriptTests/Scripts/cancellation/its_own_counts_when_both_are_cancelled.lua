-- A `cancelled` error that escapes from an operation that is itself cancelled ends it as cancelled.
local inner = Operation(function() sleep(60) end)
local started = Gate "started"
local outer = OperationQueue():addOperation(function()
    started:finish()
    await(inner)
end)
await(started)
sleep(0)
outer:cancel()
inner:cancel()
outer:waitUntilFinished()
inner:waitUntilFinished()
assert(outer.outcome == "cancelled" and inner.outcome == "cancelled")
