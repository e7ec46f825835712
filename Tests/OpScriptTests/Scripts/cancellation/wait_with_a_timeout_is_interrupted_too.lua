-- A wait with a timeout raises `cancelled` as any other.
local started, gate, code = Gate "started", Gate "gate", nil
local op = OperationQueue():addOperation(function()
    started:finish()
    local _, err = pcall(function() gate:waitUntilFinished(60) end)
    code = err.code
end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(code == "cancelled")
gate:finish()
