-- A timer source without `repeating` ticks once, and keeps the run alive no longer.
-- expect-stdout: 1
local source = DispatchSource.timer { deadline = 0.005 }
source:setEventHandler(function() print(source.data) end)
source:activate()
