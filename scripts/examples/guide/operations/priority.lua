#!/usr/bin/env opscript
-- The priority decides which of the ready operations in a queue starts first. It does not replace a
-- dependency. In a queue of width 1, operations run one at a time, but still in the order of readiness and
-- priority. A serial dispatch queue, in contrast, keeps the order of addition.
-- In the guide: Operation Queues, "Changing an Operation's Execution Priority"

local order = {}
local function step(name, priority)
    local function main(op) order[#order + 1] = op.name end
    return Operation { name = name, queuePriority = priority, main = main }
end

local function show()
    print(table.concat(order, ", "))
    order = {}
end

local queue = OperationQueue { name = "narrow", maxConcurrentOperationCount = 1 }

-- All are added together, so the priority decides among all of them. Equal priorities keep the order of
-- addition.
queue:addOperations({
    step("low", "low"), step("normal 1"), step("very high", "veryHigh"),
    step("normal 2"), step("high", "high"),
}, true)
show()

-- The priority of a waiting operation can be changed.
queue.isSuspended = true
local urgent = step("urgent")
queue:addOperations { step("first"), step("second"), urgent }
urgent.queuePriority = "veryHigh"
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
show()

-- The important operation is not ready, so the unimportant one runs first.
local important, unimportant = step("important", "veryHigh"), step("unimportant", "veryLow")
important:addDependency(unimportant)
queue:addOperations({ important, unimportant }, true)
show()
