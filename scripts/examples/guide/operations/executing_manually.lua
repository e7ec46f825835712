#!/usr/bin/env opscript
-- A script can run an operation without a queue. It then makes the checks that a queue would make.
-- `perform` returns whether the operation has been handled. If it has not, an observer tries again when
-- the operation becomes ready.
-- In the guide: Operation Queues, "Executing Operations Manually", listing 2-8

local function perform(operation)
    if not operation.isReady and not operation.isCancelled then return false end
    -- A cancelled operation only finishes. Otherwise the body has ended when `start` returns; an
    -- asynchronous operation continues.
    operation:start()
    return true
end

local function performWhenReady(operation)
    if perform(operation) then return end
    print(operation.name .. " is not ready")
    local observation
    observation = operation:observe("isReady", function()
        if perform(operation) then observation:invalidate() end
    end)
end

local source = Operation { name = "source", main = function() return { 3, 1, 2 } end }
local sorted = Operation {
    name = "sorted",
    dependencies = { source },
    main = function()
        table.sort(source.result)
        return table.concat(source.result, " ")
    end,
}
local abandoned = Operation { name = "abandoned", main = function() print("never") end }
abandoned:cancel()

performWhenReady(sorted)
performWhenReady(source)
performWhenReady(abandoned)

sorted:waitUntilFinished()
for _, operation in ipairs { source, sorted, abandoned } do
    print(operation.name, operation.outcome, operation.queue)
end
print(sorted.result)
