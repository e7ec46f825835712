-- The progress of a closure can be read before it is added, while it waits in a queue, and once it has ended.
local queue = OperationQueue { isSuspended = true }
local before = work.compute.primes(1000)
local first = before.progress
queue:addOperation(before)
local waiting = queue:addOperation(work.compute.primes(1000))
local second = waiting.progress
local completed
local last = work.compute.primes(1000)
last.completionBlock = function(op) completed = op.progress.totalUnitCount end
queue:addOperation(last)
assert(first.fractionCompleted == 0 and second.fractionCompleted == 0)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(first.fractionCompleted == 1 and first.totalUnitCount == 1000, first.totalUnitCount)
assert(second.fractionCompleted == 1 and second.totalUnitCount == 1000, second.totalUnitCount)
assert(completed == 1000, completed)
