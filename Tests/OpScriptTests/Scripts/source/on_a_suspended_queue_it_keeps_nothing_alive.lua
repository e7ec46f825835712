-- A source on a suspended queue waits, and does not keep the run going: also with a handler for its registration, and cancelled.
-- expect-stdout: over
local queue = DispatchQueue { label = "held" }
queue:suspend()
local active = DispatchSource.userDataAdd(queue)
active:setEventHandler(function() print "an event" end)
active:setRegistrationHandler(function() print "registered" end)
active:activate()
local cancelled = DispatchSource.signal("SIGUSR2", queue)
cancelled:setCancelHandler(function() print "cancelled" end)
cancelled:activate()
cancelled:cancel()
local reading = DispatchSource.read(0, queue)
reading:setEventHandler(function() print "read" end)
reading:activate()
local ticking = DispatchSource.timer({ deadline = 0, repeating = 0.001 }, queue)
ticking:setEventHandler(function() print "a tick" end)
ticking.keepsAlive = false
ticking:activate()
sleep(0.01)
print "over"
