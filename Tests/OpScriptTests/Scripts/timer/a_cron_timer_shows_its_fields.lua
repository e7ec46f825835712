-- The text of a timer with a calendar has its five fields, even after the timer has ended.
local timer = Timer.cron(" 0  3 1 jan\t* ", print)
assert(tostring(timer) == "Timer 'cron 0 3 1 jan *' (scheduled)", timer)
timer:invalidate()
assert(tostring(timer) == "Timer 'cron 0 3 1 jan *' (invalidated)", timer)
local other = Timer { interval = 60, repeats = true, block = print }
assert(tostring(other) == "Timer 'every 60 s' (not scheduled)", other)
