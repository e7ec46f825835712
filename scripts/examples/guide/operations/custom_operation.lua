#!/usr/bin/env opscript
-- This subclass of Operation has an initialiser and a main function. It keeps its input in a field, and
-- main returns the result. An error that leaves main ends only this operation, which has then failed.
-- In the guide: Operation Queues, "Performing the Main Task", listing 2-3

local Average = Operation:subclass "Average"

-- Receives the table that the instance is created with. Properties such as the name are already set.
function Average:init(options)
    self.numbers = options.numbers
end

function Average:main()
    if #self.numbers == 0 then error("no numbers", 0) end
    local sum = 0
    for _, number in ipairs(self.numbers) do sum = sum + number end
    return sum / #self.numbers
end

local queue = OperationQueue { name = "averages", maxConcurrentOperationCount = 1 }
local averages = {
    Average { name = "heights", numbers = { 150, 170, 175 } },
    Average { name = "ages", numbers = { 31, 40 } },
    -- The script handles this failure itself, so the run does not fail.
    Average { name = "weights", numbers = {}, allowsFailure = true },
}
queue:addOperations(averages, true)

for _, average in ipairs(averages) do
    print(average.name, average.outcome, average.result or average.error)
end
