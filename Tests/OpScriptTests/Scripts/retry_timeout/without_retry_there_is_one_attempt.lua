-- Without `retry` a failure is final; `op.attempt` is 1.
local count = 0
local op = Operation(function(self)
    count = count + 1
    assert(self.attempt == 1)
    error("once")
end)
assert(not pawait(op))
assert(count == 1 and op.attempt == 1 and op.retry == nil)
