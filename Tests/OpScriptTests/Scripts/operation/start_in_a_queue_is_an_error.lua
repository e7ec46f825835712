-- `op:start()` raises when the operation is in a queue.
local queue = OperationQueue { isSuspended = true }
local ran = 0
local op = queue:addOperation(Operation { name = "queued", main = function() ran = ran + 1 end })
local ok, err = pcall(function() op:start() end)
assert(not ok and tostring(err):find("queued", 1, true), tostring(err))
assert(ran == 0)
queue.isSuspended = false
op:waitUntilFinished()
assert(ran == 1)
