-- An unknown resource is an error when the operation is added.
local op = Operation { resources = { plotter = 1 }, main = function() end }
local queue = OperationQueue()
local ok, err = pcall(function() queue:addOperation(op) end)
assert(not ok, "an operation with an unknown resource was added")
assert(tostring(err):find("plotter", 1, true), tostring(err))
assert(op.queue == nil and queue.operationCount == 0)
