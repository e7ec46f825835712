-- After the first uncaught error, completion blocks run, and later errors are only printed.
-- expect-status: 1
-- expect-stderr: first error
-- expect-stderr: second error
-- expect-stdout: last completion block
local a = Operation { name = "a", main = function() sleep(60) end }
a.completionBlock = function() error("second error") end
local b = Operation { name = "b", main = function() sleep(60) end }
b:addDependency(a)
b.completionBlock = function() print("last completion block") end
OperationQueue():addOperations { a, b }
Timer.scheduledTimer(0.002, false, function() error("first error") end)
