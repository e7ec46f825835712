-- Any number of coroutines may join one thread; one that is cancelled meanwhile gets its error, and the thread continues.
local thread = Thread.detach(isolate(function() while true do end end))
local count = 0
local joins = {}
for i = 1, 5 do joins[i] = async(function() assert(thread:join()) count = count + 1 end) end
local cancelled = async(function() thread:join() end)
while not cancelled.isExecuting do sleep(0) end
cancelled:cancel()
cancelled:waitUntilFinished()
assert(cancelled.outcome == "cancelled" and thread.isExecuting and not thread.isCancelled and count == 0)
thread:cancel()
await.all(joins)
assert(count == 5 and thread.isFinished)
