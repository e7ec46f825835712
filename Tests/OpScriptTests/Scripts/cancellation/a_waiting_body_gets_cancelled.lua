-- Executing: a Lua body sees `op.isCancelled` and its waits raise `cancelled`.
local started, seen = Gate "started", {}
local op = OperationQueue():addOperation(function(self)
    started:finish()
    local ok, err = pcall(sleep, 60)
    seen.ok, seen.code, seen.flag = ok, err.code, self.isCancelled
    error(err)
end)
await(started)
op:cancel()
op:waitUntilFinished()
assert(seen.ok == false and seen.code == "cancelled" and seen.flag == true)
assert(op.outcome == "cancelled" and op.error == nil)
