-- `timeout` of a Lua body: its waits raise `cancelled`, its outcome is "failed", code `timeout`.
local code
local op = Operation { name = "slow", timeout = 0.01, allowsFailure = true, main = function()
    local _, err = pcall(sleep, 60)
    code = err.code
    return "came back"
end }
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(code == "cancelled", tostring(code))
assert(op.outcome == "failed" and op.result == nil and op.error.code == "timeout")
