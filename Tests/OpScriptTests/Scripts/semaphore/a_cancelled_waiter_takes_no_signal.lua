-- A waiter that is cancelled, or whose time runs out, consumes no signal; a waiter that was given one keeps it.
local semaphore = DispatchSemaphore(0)
local got = {}
local function waiter(name, timeout)
    return async(function() got[name] = semaphore:wait(timeout) end)
end
local a, b, c = waiter "a", waiter("b", 0.005), waiter "c"
sleep(0)
a:cancel()
b:waitUntilFinished()
a:waitUntilFinished()
assert(semaphore:signal() == true)
c:waitUntilFinished()
assert(got.a == nil and got.b == false and got.c == true)
-- Given a signal and cancelled in the same turn: the signal belongs to that waiter.
local d = async(function() got.d = semaphore:wait() semaphore:signal() end)
sleep(0)
assert(semaphore:signal())
d:cancel()
d:waitUntilFinished()
assert(got.d == true)
assert(semaphore:wait(0) == true and semaphore:wait(0) == false)
