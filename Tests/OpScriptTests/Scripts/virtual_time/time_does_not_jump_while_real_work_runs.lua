-- A work that runs for real takes no virtual time: the clock waits for it.
-- arguments: --virtual
local fired = false
Timer.scheduledTimer(1, false, function() fired = true end)
local path = await(work.file.temporary())
local list = {}
for place = 1, 5 do
    list[place] = work.process.run { "true" }
end
await.all(list)
await(work.file.remove(path))
assert(clock.now() == 0 and not fired)
sleep(1)
assert(clock.now() == 1 and fired)
