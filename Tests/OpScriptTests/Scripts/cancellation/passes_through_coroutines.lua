-- A wait inside a coroutine of the script's own raises `cancelled` there, at the wait.
local started, inside = Gate "started", nil
local op = OperationQueue():addOperation(function()
    local co = coroutine.wrap(function()
        started:finish()
        local ok, err = pcall(sleep, 60)
        inside = err.code
        assert(not ok)
        error(err, 0)
    end)
    co()
end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(inside == "cancelled" and op.outcome == "cancelled")
