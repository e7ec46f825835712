-- Outside a queue: the flag is set, and it finishes when it is started.
local op = Operation(function() error("must not run") end)
op:cancel()
sleep(0.002)
assert(op.isCancelled and not op.isFinished and op.outcome == nil)
op:start()
assert(op.isFinished and op.outcome == "cancelled")
