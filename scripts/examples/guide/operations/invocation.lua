#!/usr/bin/env opscript
-- An invocation operation calls a method of an existing object. The script may choose the method while it
-- runs. The result of the operation is what the method returned.
-- In the guide: Operation Queues, "Creating an NSInvocationOperation Object", listing 2-1

local Thermometer = {}
Thermometer.__index = Thermometer

function Thermometer.new(readings)
    return setmetatable({ readings = readings }, Thermometer)
end

-- The methods that do the work. They know nothing about operations.
function Thermometer:highest(limit)
    return math.min(math.max(table.unpack(self.readings)), limit)
end

function Thermometer:lowest()
    return math.min(table.unpack(self.readings))
end

-- Creates the operation that calls a method by its name.
function Thermometer:task(method, ...)
    local operation = InvocationOperation(self, method, ...)
    operation.name = method
    return operation
end

local thermometer = Thermometer.new { 17, 21, 35, 12 }
local tasks = { thermometer:task("highest", 30), thermometer:task("lowest") }
OperationQueue.default:addOperations(tasks, true)
for _, task in ipairs(tasks) do print(task.name, task.result) end

-- A missing method is an error when the operation is created, not when it runs.
local ok, problem = pcall(thermometer.task, thermometer, "median")
print(ok, problem.code)
