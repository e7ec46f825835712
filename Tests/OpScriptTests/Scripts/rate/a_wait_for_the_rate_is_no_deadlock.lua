-- A wait for an operation that waits for its rate is no deadlock; one that can never end is still found.
local queue = OperationQueue { name = "net", rate = { 1, per = 0.05 } }
local ops = {}
for i = 1, 3 do ops[i] = queue:addOperation(function() return i end) end
assert(await(ops[3]) == 3)
local gate = Gate "never"
local op = Operation { name = "stuck", main = function() end }
op:addDependency(gate)
queue:addOperation(op)
local ok, err = pcall(await, op)
assert(not ok and err.code == "deadlock" and err.message:find("'stuck' waits for the gate 'never'", 1, true), err.message)
gate:finish()
