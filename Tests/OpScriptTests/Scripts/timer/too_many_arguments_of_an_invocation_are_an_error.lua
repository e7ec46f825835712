-- An invocation with more arguments than a Lua stack takes is an error of the run, and does not end the process.
-- expect-status: 1
-- expect-stderr: too many arguments for the invocation of a timer
local target = { method = function() error("it was called") end }
local invocation = { target, "method" }
for i = 1, 2000000 do invocation[i + 2] = i end
Timer.scheduledTimer { interval = 0, invocation = invocation }
