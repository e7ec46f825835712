-- With "initial" an observer is called at once with the present value, and later with each change.
local op = work.compute.primes(10)
local calls = {}
local observation = op:observe("isFinished", { "initial" }, function(change)
    assert(change.object == op and change.key == "isFinished")
    calls[#calls + 1] = change.new
end)
assert(#calls == 1 and calls[1] == false)
assert(observation.isValid and observation.key == "isFinished")
local queue = OperationQueue { maxConcurrentOperationCount = 3 }
local width
queue:observe("maxConcurrentOperationCount", { "initial" }, function(change) width = change.new end)
assert(width == 3)
queue:addOperation(op)
await(op)
sleep(0)
assert(#calls == 2 and calls[2] == true)
-- It may wait, and its error is that of the call.
local late = false
op:observe("outcome", { "initial" }, function(change)
    sleep(0)
    late = change.new
end)
assert(late == "succeeded")
local ok, problem = pcall(op.observe, op, "outcome", { "initial" }, function() error("broken", 0) end)
assert(not ok and problem == "broken")
