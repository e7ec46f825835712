-- After the first failure that the script does not handle, no more operations are started; those that execute finish.
-- arguments: --virtual --fail-fast
-- expect-status: 1
-- expect-stderr: an operation has failed: no more operations are started
-- expect-stdout: handled	true
-- expect-stdout: a step of a body that runs
-- expect-stdout: succeeded	failed	cancelled	cancelled
local missing = work.file.read("/no/such/file")
print("handled", not pawait(missing))
local allowed = OperationQueue():addOperation(work.file.read("/no/such/file"))
allowed.allowsFailure = true
allowed:waitUntilFinished()

local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local long = queue:addOperation(function()
    sleep(2)
    await(work.sleep(1))
    print("a step of a body that runs")
end)
local bad = queue:addOperation(function() sleep(1) error("bad") end)
local waiting = queue:addOperation(function() print("never") end)
waiting:addDependency(long)
bad:waitUntilFinished()
sleep(0)
local late = OperationQueue():addOperation(function() print("never") end)
queue:waitUntilAllOperationsAreFinished()
print(long.outcome, bad.outcome, waiting.outcome, late.outcome)
