-- Under virtual time the clock jumps to the next due moment as soon as nothing else can run.
-- arguments: --virtual
local started = os.time()
local ticks = 0
Timer.scheduledTimer { interval = 60, repeats = true, block = function(timer)
    ticks = ticks + 1
    assert(clock.now() == 60 * ticks)
    if ticks == 24 * 60 then
        timer:invalidate()
    end
end }
clock.run()
assert(clock.isVirtual and ticks == 1440 and clock.now() == 86400)
assert(os.time() - started == 86400)
