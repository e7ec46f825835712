-- made.lua N: operations made, named, wired and added to a suspended queue, to count instructions of the script thread.
local n = math.tointeger(arg[1])
local queue = OperationQueue { isSuspended = true }
local last
for i = 1, n do
    local op = work.compute.primes(1)
    op.name = "op " .. i
    if last then op:addDependency(last) end
    last = queue:addOperation(op)
end
assert(queue.operationCount == n)
queue:cancelAllOperations()
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(last.outcome == "cancelled")
