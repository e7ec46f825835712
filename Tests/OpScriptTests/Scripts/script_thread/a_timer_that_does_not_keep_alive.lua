-- A timer with `keepsAlive = false` does not hold the run.
-- expect-stdout: main chunk ends
local function block() print("fired") end
Timer.scheduledTimer { interval = 600, repeats = true, keepsAlive = false, block = block }
print("main chunk ends")
