-- `op:removeDependency(other)` undoes it; `op` may become ready by it.
local never = Operation { name = "never", main = function() error("must not run") end }
local op = Operation(function() return "ran" end)
op:addDependency(never)
local queue = OperationQueue()
queue:addOperation(op)
sleep(0)
assert(not op.isReady and op.state == "pending")
op:removeDependency(never)
assert(#op.dependencies == 0)
assert(op:waitUntilFinished() == true)
assert(op.result == "ran" and op.isReady)
