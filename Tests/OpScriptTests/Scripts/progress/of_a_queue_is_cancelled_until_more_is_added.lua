-- Cancelling the progress of a queue cancels the operations in the queue; later additions run, and the progress is not cancelled.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local progress, told = queue.progress, {}
progress:observe("isCancelled", function(change) told[#told + 1] = tostring(change.old) .. " " .. tostring(change.new) end)
local first, second = work.sleep(60), work.sleep(0)
queue:addOperations { first, second }
progress:cancel()
assert(progress.isCancelled and first.isCancelled and second.isCancelled)
queue:waitUntilAllOperationsAreFinished()
assert(progress.isCancelled and progress.fractionCompleted == 1)

local later = queue:addOperation(work.compute.primes(10))
assert(not progress.isCancelled and not later.isCancelled)
assert(await(later) == 4 and later.outcome == "succeeded")
sleep(0)
assert(table.concat(told, ", ") == "false true, true false", table.concat(told, ", "))
