-- When the main chunk has returned, the run continues for timers that keep it alive (default true).
-- expect-stdout: main chunk ends
-- expect-stdout: fired
local timer = Timer.scheduledTimer(0.005, false, function() print("fired") end)
assert(timer.keepsAlive == true)
print("main chunk ends")
