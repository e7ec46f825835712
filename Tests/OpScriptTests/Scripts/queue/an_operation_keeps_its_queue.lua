-- op.queue exists as long as the operation does, even when there is no other reference to the queue.
-- expect-stdout: again
local function added(op, name)
    OperationQueue { name = name, userInfo = name }:addOperation(op)
    return op
end
local first = added(work.compute.primes(10), "one")
local second = added(Operation { main = function() end, dependencies = { first } }, "two")
local third = added(work.sleep(0), "three")
await.all { first, second, third }
-- A dependency on one that is in a queue already, which moves the values that the operation keeps.
local gate, fourth = Gate "gate", Operation(function() end)
fourth:addDependency(gate)
added(fourth, "four")
local fifth = Operation { name = "fifth", main = function() end }
local held = OperationQueue { name = "held", isSuspended = true }
held:addOperation(fifth)
fifth:addDependency(gate)
held.isSuspended = false
held = nil
gate:finish()
await.all { fourth, fifth }
for _ = 1, 3 do
    collectgarbage()
    sleep(0)
    for _ = 1, 20 do OperationQueue { name = "other" } end
end
assert(first.queue.name == "one" and first.queue.userInfo == "one")
assert(second.queue.name == "two" and #second.dependencies == 1 and second.dependencies[1] == first)
assert(third.queue.name == "three")
assert(fourth.queue.name == "four" and #fourth.dependencies == 1)
assert(fifth.queue.name == "held" and fifth.dependencies[1] == gate)
assert(first.queue == first.queue)
-- Such a queue can be used again.
first.queue:addOperation(function() print "again" end)
first.queue:waitUntilAllOperationsAreFinished()
