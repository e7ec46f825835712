-- An operation whose time ran out makes the run fail.
-- expect-status: 1
-- expect-stderr: patience
local op = Operation { name = "patience", timeout = 0.005, main = function() sleep(60) end }
OperationQueue():addOperation(op)
