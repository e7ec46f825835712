-- An uncaught error in a handler ends the run; cancel handlers of all sources are called.
-- expect-status: 1
-- expect-stdout: first is over
-- expect-stdout: second is over
-- expect-stderr: an_error_in_a_handler_ends_the_run.lua:%d+: broken
local first, second = DispatchSource.userDataAdd(), DispatchSource.signal("SIGUSR1")
first:setEventHandler(function() error("broken") end)
first:setCancelHandler(function() print("first is over") end)
second:setCancelHandler(function() print("second is over") end)
first:activate()
second:activate()
sleep(0)
first:mergeData(1)
sleep(60)
