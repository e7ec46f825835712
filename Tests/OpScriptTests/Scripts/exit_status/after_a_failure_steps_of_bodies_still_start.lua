-- After the first failure, a body that executes still gets the step for which it waits already.
-- arguments: --virtual --fail-fast
-- expect-status: 1
-- expect-stdout: succeeded	failed	cancelled
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local step = work.sleep(1)
step:addDependency(work.sleep(2))
local good = queue:addOperation(function() await(step) end)
local bad = queue:addOperation(function() sleep(1) error("bad") end)
-- Without the dependency, it might start in the place of the one that failed, before the script sees the failure.
local later = Operation(function() end)
later:addDependency(good, "finished")
queue:addOperation(later)
queue:waitUntilAllOperationsAreFinished()
print(good.outcome, bad.outcome, later.outcome)
