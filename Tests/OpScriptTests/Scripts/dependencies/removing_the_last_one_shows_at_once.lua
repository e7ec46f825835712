-- An operation without unfinished dependencies is ready as soon as the last one is removed, and can be started.
local gate, other = Gate "gate", Gate "other"
local op = Operation(function() return 1 end)
op:addDependency(gate)
op:addDependency(other)
assert(not op.isReady)
op:removeDependency(gate)
assert(not op.isReady)
local seen = {}
op:observe("isReady", function(change) seen[#seen + 1] = change.new end)
op:removeDependency(other)
assert(op.isReady and #op.dependencies == 0)
op:start()
assert(op.result == 1)
sleep(0)
assert(#seen == 1 and seen[1] == true, #seen)
local queue = OperationQueue { isSuspended = true }
local added = Operation(function() end)
added:addDependency(gate)
queue:addOperation(added)
assert(added.state == "pending")
added:removeDependency(gate)
assert(added.isReady and added.state == "ready")
queue.isSuspended = false
await(added)
