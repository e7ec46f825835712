-- A seed without virtual time names the clock as not controlled.
-- arguments: --seed 7
-- expect-stderr: warning: no seed controls the system's clock
assert(not clock.isVirtual)
local first = math.random(2 ^ 40)
math.randomseed(7)
assert(math.random(2 ^ 40) == first)
