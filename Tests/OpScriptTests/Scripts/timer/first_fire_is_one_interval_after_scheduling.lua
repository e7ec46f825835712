-- The first fire is one interval after scheduling.
local before, fired = clock.now(), Gate "fired"
Timer.scheduledTimer(0.02, false, function() fired:finish(clock.now()) end)
local at = await(fired)
assert(at - before >= 0.02, at - before)
