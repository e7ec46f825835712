-- After the first failure, a body that executes still gets the step for which it waits already.
-- arguments: --virtual --fail-fast
-- expect-status: 1
-- expect-stdout: succeeded	failed	cancelled
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local step = work.sleep(1)
step:addDependency(work.sleep(2))
local good = queue:addOperation(function() await(step) end)
local bad = queue:addOperation(function() sleep(1) error("bad") end)
local later = queue:addOperation(function() end)
queue:waitUntilAllOperationsAreFinished()
print(good.outcome, bad.outcome, later.outcome)
