-- At its end, in this order: observers, completion block, waiters, Lua bodies that it released.
local log = {}
local function note(word) log[#log + 1] = word end
local started, gate = Gate "started", Gate "gate"
local op = Operation(function()
    started:finish()
    await(gate)
end)
local released = Operation(function() note "released body" end)
released:addDependency(op)
op.completionBlock = function(done)
    assert(done == op and op.isFinished and op.outcome == "succeeded")
    note "completion block"
end
op:observe("isFinished", function() note "first observer" end)
op:observe("outcome", function() note "second observer" end)
local queue = OperationQueue()
queue:addOperations { op, released }
await(started)
local first = async(function() op:waitUntilFinished() note "first waiter" end)
sleep(0)
local second = async(function() op:waitUntilFinished() note "second waiter" end)
sleep(0)
gate:finish()
await.all { first, second, released }
assert(table.concat(log, ", ") == "first observer, second observer, completion block, "
    .. "first waiter, second waiter, released body", table.concat(log, ", "))
