-- `result` is nil unless the operation succeeded.
local failed = Operation { allowsFailure = true, main = function() error("x") end }
local cancelled = Operation(function() return 1 end)
cancelled:cancel()
OperationQueue():addOperations({ failed, cancelled }, true)
for _, op in ipairs { failed, cancelled } do
    assert(op.result == nil and select("#", op:results()) == 0, op.outcome)
end
assert(failed.error ~= nil and cancelled.error == nil)
