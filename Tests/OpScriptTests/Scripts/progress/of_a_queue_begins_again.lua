-- The progress of a queue begins again with the first operation that is added to the empty queue.
local queue = OperationQueue()
local progress, changes = queue.progress, {}
progress:observe("fractionCompleted", function(change) changes[#changes + 1] = change end)
await(queue:addOperation(work.sleep(0)))
assert(progress.completedUnitCount == 1 and progress.totalUnitCount == 1 and progress.fractionCompleted == 1)

local held = Operation { start = function() end }
queue:addOperation(held)
assert(progress.completedUnitCount == 0 and progress.totalUnitCount == 1 and progress.fractionCompleted == 0)
queue:addOperation(work.sleep(0))
assert(progress.completedUnitCount == 0 and progress.totalUnitCount == 2 and progress.fractionCompleted == 0)
sleep(0)
held:finish()
queue:waitUntilAllOperationsAreFinished()
assert(progress.fractionCompleted == 1 and tostring(progress) == "Progress (2 of 2)", tostring(progress))
sleep(0)
assert(changes[1].old == 0 and changes[1].new == 1)
assert(changes[2].old == 1 and changes[2].new < 1, "the new beginning is reported")
for i = 2, #changes do assert(changes[i].old == changes[i - 1].new, "each change continues from the one before") end
assert(changes[#changes].new == 1)
