-- An event that no handler can be called for any more is named at the end with its queue, and its handler is not called.
-- expect-status: 3
-- expect-stdout: over
-- expect-stderr: an event of the timer source %(.*a_tick_is_told_at_the_end.lua:9%) can never be handled: queue 'held' is suspended
-- expect-stderr: an event of the userDataOr source %(.*a_tick_is_told_at_the_end.lua:12%) can never be handled: queue 'held'
-- expect-stderr: an event of the userDataAdd source %(.*a_tick_is_told_at_the_end.lua:15%) can never be handled: queue 'target'
local queue = DispatchQueue { label = "held" }
queue:suspend()
local tick = DispatchSource.timer({ deadline = 0.001 }, queue)
tick:setEventHandler(function() print "a tick" end)
tick:activate()
local merged = DispatchSource.userDataOr(queue)
merged:setEventHandler(function() print "merged" end)
local target = DispatchQueue { label = "target" }
local late = DispatchSource.userDataAdd(DispatchQueue { target = target })
late:setEventHandler(function() print "late" end)
merged:activate()
late:activate()
merged:mergeData(1)
sleep(0)
late:mergeData(1)
target:suspend()                  -- after the call was requested
sleep(0.01)
print "over"
