-- On virtual time nothing waits for a moment that never comes; a long sleep ends when the clock does.
-- arguments: --virtual
local source = DispatchSource.timer { deadline = math.huge }
source:setEventHandler(print)
source:activate()
for _ = 1, 3 do await(work.sleep(4e9)) end
assert(clock.now() > 9.2e9, clock.now())
