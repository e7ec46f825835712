-- An uncaught error in a callback ends the run: everything is cancelled. Status 1.
-- expect-status: 1
-- expect-stderr: the callback broke
-- expect-stderr: main wait: cancelled
-- expect-stderr: operation: cancelled
local long = Operation(function() sleep(60) end)
long.completionBlock = function(op) io.stderr:write("operation: ", op.outcome, "\n") end
local trigger = Operation(function() end)
trigger.completionBlock = function() error("the callback broke") end
OperationQueue():addOperations { long, trigger }
local ok, err = pcall(sleep, 60)
io.stderr:write("main wait: ", ok and "continued" or err.code, "\n")
