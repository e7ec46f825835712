-- `shield(fn, ...)`: waits inside it are not interrupted by a cancellation; after it they are.
local started, gate, log = Gate "started", Gate "gate", {}
local op = OperationQueue():addOperation(function()
    local a, b = shield(function(...)
        started:finish()
        await(gate)
        sleep(0.001)
        log[#log + 1] = "shielded part done"
        return ...
    end, 1, 2)
    assert(a == 1 and b == 2)
    local _, err = pcall(sleep, 60)
    log[#log + 1] = err.code
end)
await(started)
op:cancel()
assert(op.isCancelled)
sleep(0.001)
assert(op.isExecuting)
gate:finish()
op:waitUntilFinished()
assert(table.concat(log, ", ") == "shielded part done, cancelled" and op.outcome == "cancelled")
