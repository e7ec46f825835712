-- A moment that the clock cannot represent never comes; the run ends without it.
-- arguments: --virtual
local fired = 0
Timer.scheduledTimer(1e12, true, function(timer)
    fired = fired + 1
end)
Timer.scheduledTimer(math.huge, true, function(timer)
    fired = fired + 1
end)
