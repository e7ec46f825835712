-- Skipped: completion block and observers are called.
-- expect-stdout: observer skipped
-- expect-stdout: completion block skipped
local bad = Operation { allowsFailure = true, main = function() error("x") end }
local op = Operation(function() end)
op:addDependency(bad)
op:observe("outcome", function(change) print("observer " .. change.new) end)
op.completionBlock = function() print("completion block " .. op.outcome) end
OperationQueue():addOperations({ bad, op }, true)
