-- After the first failure, no attempt follows another one.
-- arguments: --virtual --fail-fast
-- expect-status: 1
-- expect-stdout: cancelled	failed	1
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local upload = Operation(function() sleep(2) error("no") end)
upload.retry = { attempts = 4, delay = 1 }
queue:addOperation(upload)
local bad = queue:addOperation(function() sleep(1) error("bad") end)
queue:waitUntilAllOperationsAreFinished()
print(upload.outcome, bad.outcome, upload.attempt)
