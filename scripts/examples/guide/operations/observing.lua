#!/usr/bin/env opscript
-- A script can observe every key that the guide lists. Each change is delivered once and in order. A
-- subclass does not have to send notifications. An observation lasts until it is invalidated, and the
-- script does not have to keep it.
-- In the guide: Operation Queues, "Maintaining KVO Compliance"

local first = Operation { name = "first", main = function() end }
local second = Operation { name = "second", main = function() end }

local keys = { "isReady", "isExecuting", "isFinished", "isCancelled", "dependencies", "queuePriority" }
for _, key in ipairs(keys) do
    second:observe(key, function(change)
        local old, new = change.old, change.new
        -- An array of operations is shown by its length.
        if key == "dependencies" then old, new = #old, #new end
        print(change.object.name, change.key, old, new)
    end)
end
local brief = second:observe("queuePriority", function() print("never called") end)
brief:invalidate()

second:addDependency(first)
second.queuePriority = "high"

local queue = OperationQueue { name = "observed" }
queue:addOperations({ second, first }, true)

-- A queue can be observed too. The option "initial" adds one call at once, with the current value.
queue:observe("operationCount", { "initial" }, function(change) print("count", change.old, change.new) end)
await(queue:addOperation(function() end))
