-- Virtual time can reach its last moment, and what is due after that is harmless.
-- arguments: --virtual
for _ = 1, 4 do sleep(4e9) end
assert(clock.now() > 9.2e9, clock.now())
local timer = Timer { fireDate = 1e300, interval = 1, block = print }
timer.fireDate = 1e301
Timer.cron("0 3 1 1 *", print):invalidate()
timer:invalidate()
local slow = work.sleep(1e300)
OperationQueue.default:addOperation(slow)
await(slow)
