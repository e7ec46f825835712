-- `<close>` variables and cleanup run, shielded, and may wait.
local started, cleaned = Gate "started", false
local op = OperationQueue():addOperation(function()
    local _ <close> = setmetatable({}, { __close = function(_, err)
        assert(err.code == "cancelled")
        sleep(0.002)
        assert(await(Operation(function() return "helper" end)) == "helper")
        cleaned = true
    end })
    started:finish()
    sleep(60)
end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(cleaned and op.outcome == "cancelled")
