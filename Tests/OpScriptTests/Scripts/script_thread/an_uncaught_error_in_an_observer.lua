-- An uncaught error in an observer ends the run. Status 1.
-- expect-status: 1
-- expect-stderr: the observer broke
local op = Operation(function() end)
op:observe("isFinished", function() error("the observer broke") end)
OperationQueue():addOperation(op)
sleep(60)
