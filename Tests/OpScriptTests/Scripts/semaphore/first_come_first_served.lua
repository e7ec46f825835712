-- Waiters are served first come, first served; `signal` returns whether it woke one.
-- expect-stdout: 1 2 3
local semaphore = DispatchSemaphore(0)
local log = {}
for i = 1, 3 do async(function() semaphore:wait() log[#log + 1] = i end) end
sleep(0)
for _ = 1, 3 do assert(semaphore:signal() == true) end
assert(semaphore:signal() == false)
-- The signals belong to the waiters: only the fourth is free.
assert(semaphore:wait() == true and semaphore:wait(0) == false)
print(table.concat(log, " "))
