-- Any number of coroutines may join one thread; one that is cancelled meanwhile gets its error, and the thread goes on.
local thread = Thread.detach("sleep", 0.02)
local count = 0
local joins = {}
for i = 1, 5 do joins[i] = async(function() assert(thread:join()) count = count + 1 end) end
local cancelled = async(function() return select(2, pcall(thread.join, thread)).code end)
sleep(0)
cancelled:cancel()
await.all(joins)
cancelled:waitUntilFinished()
assert(count == 5 and cancelled.outcome == "cancelled" and thread.isFinished and not thread.isCancelled)
