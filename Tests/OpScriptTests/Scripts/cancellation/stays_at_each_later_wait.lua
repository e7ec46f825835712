-- Cancellation stays: each later wait raises again, so a `pcall` around one of them does not undo it.
local started, count = Gate "started", 0
local gate = Gate "gate"
local op = OperationQueue():addOperation(function()
    started:finish()
    local waits = {
        function() sleep(60) end, function() await(gate) end, function() sleep(0) end,
        function() gate:waitUntilFinished() end, function() await.all { gate } end,
        function() OperationQueue.main:waitUntilAllOperationsAreFinished() sleep(0) end,
    }
    for _, wait in ipairs(waits) do
        local ok, err = pcall(wait)
        assert(not ok and err.code == "cancelled")
        count = count + 1
    end
    return "ignored"
end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(count == 6, count)
assert(op.outcome == "cancelled" and op.result == nil)
gate:finish()
