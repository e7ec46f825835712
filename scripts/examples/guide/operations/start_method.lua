#!/usr/bin/env opscript
-- The `start` hook of an asynchronous operation launches its task and returns. The task is an isolate: a
-- function that runs in parallel, in its own Lua state. The hook is not called if the operation was
-- cancelled before; the operation only finishes.
-- In the guide: Operation Queues, "Configuring Operations for Concurrent Execution", listing 2-6

local Factorise = Operation:subclass "Factorise"

local factors = isolate(function(number)
    local found, divisor = {}, 2
    while number > 1 do
        while number % divisor == 0 do
            found[#found + 1] = divisor
            number = number // divisor
        end
        divisor = divisor + 1
    end
    return table.concat(found, " × ")
end)

function Factorise:init(options)
    self.number = options.number
end

function Factorise:start()
    print("start " .. self.number)
    local task = factors(self.number)
    task.completionBlock = function()
        if task.outcome == "succeeded" then self:finish(task.result) else self:fail(task.error) end
    end
    self.task = OperationQueue.default:addOperation(task)
end

-- Called if the operation is cancelled while it executes: the task stops, and its completion block
-- ends the operation.
function Factorise:cancelled()
    self.task:cancel()
end

local operations = { Factorise { number = 5040 }, Factorise { number = 1001 } }
operations[2]:cancel()
OperationQueue.default:addOperations(operations, true)

for _, operation in ipairs(operations) do
    print(operation.number, operation.outcome, operation.result)
end
