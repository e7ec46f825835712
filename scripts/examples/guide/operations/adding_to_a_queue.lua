#!/usr/bin/env opscript
-- There are three ways to add work to an operation queue: one operation, several operations, or a
-- function. Configure an operation before you add it, because the queue may start it at any moment.
-- In the guide: Operation Queues, "Adding Operations to an Operation Queue"

local queue = OperationQueue { name = "errands" }
local done = {}
local function errand(name)
    return Operation { name = name, main = function(op) done[#done + 1] = op.name end }
end

-- A single operation. The call returns it.
local bread = queue:addOperation(errand "bread")

-- Several operations. With `true`, the call waits for them.
queue:addOperations({ errand "milk", errand "cheese" }, true)

-- A function becomes a block operation.
local note = queue:addOperation(function() done[#done + 1] = "note" end)
note.name = "note"

-- If one entry is invalid, no operation of the list is added.
local coffee = errand "coffee"
local ok, problem = pcall(queue.addOperations, queue, { coffee, bread })
print(ok, problem.code, coffee.queue)

-- A barrier runs after all that was added before it, and before all that is added after it.
queue:addBarrierBlock(function() done[#done + 1] = "|" end)
queue:addOperation(coffee)

queue:waitUntilAllOperationsAreFinished()
print(table.concat(done, " "))
print(bread.queue == queue, queue.operationCount)
