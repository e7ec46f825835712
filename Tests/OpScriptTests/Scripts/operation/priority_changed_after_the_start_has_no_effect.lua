-- Once started, a change of `queuePriority` has no effect, and is no error.
local op = Operation(function(self)
    self.queuePriority = "high"
    sleep(0)
    return "ran"
end)
assert(await(op) == "ran")
op.queuePriority = "veryLow"
assert(op.outcome == "succeeded")
