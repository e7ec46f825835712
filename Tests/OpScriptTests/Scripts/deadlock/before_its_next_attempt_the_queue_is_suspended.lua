-- An operation that can never run is an error that says why; the delay before its next attempt changes nothing.
-- expect-status: 3
-- expect-stderr: queue 'jobs' is suspended and nothing is left that could resume it
local jobs = OperationQueue { name = "jobs" }
local op = Operation(function()
    jobs.isSuspended = true
    error("not yet", 0)
end)
op.retry, op.allowsFailure = { attempts = 2, delay = 0.02 }, true
jobs:addOperation(op)
