-- The progress of an operation, a queue and a group operation is of the same kind, and can be a child.
local queue = OperationQueue()
local parent, told = Progress(4), {}
parent:observe("fractionCompleted", function(change) told[#told + 1] = change.new end)
local op = work.compute.primes(100)
local group = GroupOperation { work.compute.primes(10), work.compute.primes(10) }
assert(op.progress == op.progress and group.progress.fractionCompleted == 0)
parent:addChild(op.progress, 1)
parent:addChild(group.progress, 2)
parent:addChild(queue.progress, 1)
queue:addOperations({ op, group }, true)
assert(op.progress.fractionCompleted == 1 and group.progress.fractionCompleted == 1)
assert(queue.progress.completedUnitCount == 2 and queue.progress.totalUnitCount == 2)
assert(parent.fractionCompleted == 1)
assert(told[#told] == 1, told[#told])
for i = 2, #told do assert(told[i] > told[i - 1]) end
queue:addOperations({ work.sleep(0) }, true)
assert(queue.progress.completedUnitCount == 1 and queue.progress.totalUnitCount == 1)
