-- `clock.now()`: monotonic seconds.
local before = clock.now()
assert(math.type(before) == "float")
sleep(0.02)
local after = clock.now()
assert(after - before >= 0.02 and after - before < 60)
