-- Exit status 3: operations that can never run.
-- expect-status: 3
-- expect-stderr: queue 'stuck' is suspended and nothing is left that could resume it
local queue = OperationQueue { name = "stuck", isSuspended = true }
queue:addOperation(Operation { name = "waiting", main = function() end })
