-- `op:start()` runs it by hand, outside any queue: a Lua body runs before it returns.
local log = {}
local op = Operation(function(self)
    assert(self.isExecuting and self.queue == nil)
    log[#log + 1] = "body"
    sleep(0.001)
    log[#log + 1] = "after the wait"
    return "result"
end)
op:start()
log[#log + 1] = "returned"
assert(table.concat(log, ", ") == "body, after the wait, returned")
assert(op.isFinished and op.outcome == "succeeded" and op.result == "result")
