-- One's own cancellation comes out of `pawait` as an error: every wait of a cancelled body raises.
local started, gate, code = Gate "started", Gate "gate", nil
local op = OperationQueue():addOperation(function()
    started:finish()
    local ok, err = pcall(function()
        local given = pawait(gate)
        return given
    end)
    assert(not ok, "pawait swallowed the cancellation")
    code = err.code
end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(code == "cancelled" and op.outcome == "cancelled" and not gate.isFinished)
gate:finish()
