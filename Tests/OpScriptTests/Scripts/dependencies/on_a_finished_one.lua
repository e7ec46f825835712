-- A dependency on an operation that has finished is released already.
local done = Operation(function() return 1 end)
await(done)
local op = Operation(function() return "ran" end)
op:addDependency(done)
assert(op.isReady)
assert(await(op) == "ran")
