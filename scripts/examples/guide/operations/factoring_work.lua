#!/usr/bin/env opscript
-- This job is split into units of work, and each unit is an operation. Units that do not need each other
-- may run at the same time. A unit that needs a result takes the other operation as its argument. That
-- argument is also the dependency, so the order is written only once.
-- In the guide: Concurrency and Application Design, "Factor Out Executable Units of Work"

local text = "a queue starts what is ready; what is not ready waits in the queue"

-- These two units only read the text. Either one may run first.
local checksum = work.digest.crc32(text)
checksum.name = "checksum"

local count = Operation {
    name = "count",
    main = function()
        local words, different = 0, {}
        for word in text:gmatch("%a+") do
            words = words + 1
            different[word] = true
        end
        local list = {}
        for word in pairs(different) do list[#list + 1] = word end
        table.sort(list)
        return { words = words, different = list }
    end,
}

-- This unit needs both results.
local report = work.json.encode { crc32 = checksum, text = count }
report.name = "report"

-- One queue is enough, because the dependencies determine the order.
local queue = OperationQueue { name = "text" }
queue:addOperations({ report, count, checksum }, true)

for _, operation in ipairs { checksum, count, report } do
    print(operation.name, #operation.dependencies, operation.outcome)
end
local decoded = await(work.json.decode(report.result))
print(decoded.text.words .. " words, " .. #decoded.text.different .. " different ones")
