-- A wait with a time limit can end, however long the limit is.
-- arguments: --virtual
local start = clock.now()
sleep(1e9)
assert(clock.now() - start == 1e9, clock.now() - start)
local gate = Gate "never"
assert(gate:waitUntilFinished(2e9) == false)
assert(clock.now() - start == 3e9)
gate:finish()
local ok, problem = pcall(sleep, math.huge)
assert(not ok and problem.code == "deadlock", problem)
