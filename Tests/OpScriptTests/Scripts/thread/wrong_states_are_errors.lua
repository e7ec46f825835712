-- Started twice, joined before its start, a join of the main thread: errors that say so.
local function refused(pattern, fn, ...)
    local ok, message = pcall(fn, ...)
    assert(not ok and message.code == "misuse", tostring(message))
    assert(message:find(pattern, 1, true), tostring(message))
end
local thread = Thread { isolate = function() end, name = "once" }
refused("thread 'once' was never started, so it would never end: start it first", thread.join, thread)
thread:start()
refused("thread 'once' was started already", thread.start, thread)
thread:join()
refused("thread 'once' was started already", thread.start, thread)
refused("the main thread cannot be joined", Thread.main.join, Thread.main)
refused("the main thread runs already", Thread.main.start, Thread.main)
refused("the main thread cannot be cancelled", Thread.main.cancel, Thread.main)
local ok, message = pcall(thread.join, 5)
assert(not ok and message:find("thread expected, got number", 1, true), tostring(message))
