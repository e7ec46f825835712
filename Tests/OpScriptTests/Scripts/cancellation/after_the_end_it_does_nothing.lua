-- After its end `cancel` does nothing, and `isCancelled` stays false.
local op = Operation(function() return 7 end)
await(op)
op:cancel()
sleep(0)
assert(op.isCancelled == false and op.outcome == "succeeded" and op.result == 7)
