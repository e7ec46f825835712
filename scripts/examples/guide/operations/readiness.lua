#!/usr/bin/env opscript
-- An operation may have to wait for something that is not an operation. The guide overrides isReady for
-- this. Here the operation depends on a gate. A gate has no body and is in no queue; it ends when the
-- script ends it.
-- In the guide: Operation Queues, "Maintaining KVO Compliance"

local settings = Gate "settings are known"
local prepare = Operation { name = "prepare", main = function() print("prepared") end }
local serve = Operation {
    name = "serve",
    dependencies = { prepare, settings },
    main = function() print("serves on port " .. settings.result.port) end,
}

serve:observe("isReady", function(change) print("isReady", change.old, change.new) end)

local queue = OperationQueue { name = "service" }
queue:addOperations { serve, prepare }
prepare:waitUntilFinished()
print("ready after prepare:", serve.isReady)

-- Something outside any queue fulfils the condition.
Timer.scheduledTimer {
    interval = 0.001,
    block = function() settings:finish { port = 8080 } end,
}
queue:waitUntilAllOperationsAreFinished()
print("ready after the gate:", serve.isReady)
