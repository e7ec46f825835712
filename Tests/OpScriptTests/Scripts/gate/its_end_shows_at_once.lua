-- Effects of a script's own calls are visible at once; the callbacks come in their turn, in the order of the ends.
local order = {}
local gate = Gate "ready"
gate.completionBlock = function() table.insert(order, "gate") end
local after = Operation(function() table.insert(order, "after") end)
after:addDependency(gate)
OperationQueue():addOperation(after)
gate:finish(42)
assert(gate.isFinished and gate.outcome == "succeeded" and gate.result == 42)
assert(#order == 0)

local broken = Gate "broken"
broken.allowsFailure = true
broken:fail("no")
assert(broken.isFinished and broken.outcome == "failed" and broken.error.message:find("no$"))
broken:finish()
assert(broken.outcome == "failed")

local op
op = Operation { start = function() end }
OperationQueue():addOperation(op)
while not op.isExecuting do sleep(0) end
op:finish("done")
assert(op.state == "finished" and op.result == "done" and not op.isExecuting)
await(after)
assert(table.concat(order, " ") == "gate after", table.concat(order, " "))
