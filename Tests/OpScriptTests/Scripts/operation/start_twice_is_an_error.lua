-- `op:start()` raises when the operation is executing or has finished.
local op = Operation { name = "once", start = function() end }
op:start()
local ok, err = pcall(function() op:start() end)
assert(not ok and tostring(err):find("once", 1, true), tostring(err))
assert(op.isExecuting)
op:finish()
op:waitUntilFinished()
assert(not pcall(function() op:start() end), "a finished operation was started")
assert(op.outcome == "succeeded")
