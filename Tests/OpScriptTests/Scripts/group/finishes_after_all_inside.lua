-- A GroupOperation finishes after all operations inside.
local gate = Gate "gate"
local quick = Operation(function() end)
local slow = Operation(function() await(gate) end)
local group = GroupOperation { quick, slow, name = "both" }
OperationQueue():addOperation(group)
assert(group.name == "both")
quick:waitUntilFinished()
assert(not group.isFinished)
gate:finish()
group:waitUntilFinished()
assert(slow.isFinished and group.outcome == "succeeded")
