#!/usr/bin/env opscript
-- An operation leaves its queue early only if it is cancelled. A script cancels one operation, or all
-- operations of a queue. A cancelled operation counts as finished, so operations that depend on it may
-- start.
-- In the guide: Operation Queues, "Canceling Operations"

local queue = OperationQueue { name = "downloads", isSuspended = true }
local function download(name)
    return Operation { name = name, main = function(op) print("downloads " .. op.name) end }
end

local cover, chapter, index = download "cover", download "chapter", download "index"
index:addDependency(cover)
queue:addOperations { cover, chapter, index }

-- One operation. The operation that depends on it runs nevertheless.
cover:cancel()
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
for _, operation in ipairs { cover, chapter, index } do
    print(operation.name, operation.isCancelled, operation.outcome)
end

-- All operations. The first one is executing already, and its wait raises an error.
local began = Gate "the first one has begun"
local operations = {
    Operation {
        name = "endless",
        main = function()
            began:finish()
            sleep(math.huge)
        end,
    },
    download "appendix",
}
operations[2]:addDependency(operations[1])
queue:addOperations(operations)
await(began)
queue:cancelAllOperations()
queue:waitUntilAllOperationsAreFinished()
for _, operation in ipairs(operations) do print(operation.name, operation.isCancelled, operation.outcome) end
