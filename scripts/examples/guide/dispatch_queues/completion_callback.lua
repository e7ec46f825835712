#!/usr/bin/env opscript
-- This function starts a task and passes its result to a callback. The caller supplies the callback and
-- the queue on which the callback runs.
-- In the guide: Dispatch Queues, "Performing a Completion Block When a Task Is Done", listing 3-4

local average = isolate(function(numbers)
    local sum = 0
    for _, number in ipairs(numbers) do sum = sum + number end
    return sum / #numbers
end)

-- Starts the computation on a worker and returns at once.
local function averageAsync(numbers, queue, callback)
    local task = average(numbers)
    task.completionBlock = function()
        local result = task.result
        queue:async(function() callback(result) end)
    end
    DispatchQueue.global():async(task)
end

local results = DispatchQueue { label = "results" }
local received = DispatchGroup()

received:enter()
averageAsync({ 2, 4, 9 }, results, function(result)
    print("the average is " .. result, "on " .. DispatchQueue.current.label)
    received:leave()
end)
print("the caller continues")
received:wait()
