-- `op:start()` raises when the operation is not ready.
local other = Operation { name = "other", main = function() end }
local op = Operation { name = "early", main = function() end }
op:addDependency(other)
local ok, err = pcall(function() op:start() end)
assert(not ok and tostring(err):find("early", 1, true), tostring(err))
assert(not op.isExecuting and not op.isFinished)
other:start()
op:start()
assert(op.outcome == "succeeded")
