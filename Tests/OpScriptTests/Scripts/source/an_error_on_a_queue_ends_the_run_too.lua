-- The same where the handler runs on a queue of the script's own.
-- expect-status: 1
-- expect-stderr: an_error_on_a_queue_ends_the_run_too.lua:%d+: broken
local source = DispatchSource.userDataAdd(OperationQueue { name = "io" })
source:setEventHandler(function() error("broken") end)
source:activate()
source:mergeData(1)
sleep(60)
