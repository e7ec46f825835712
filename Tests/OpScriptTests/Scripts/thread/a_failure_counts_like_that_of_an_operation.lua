-- An error in a thread counts like a failed operation: it is reported, and sets the status.
-- expect-status: 1
-- expect-stderr: 'breaking' %(.*a_failure_counts_like_that_of_an_operation.lua:5%).*boom
-- expect-stderr: called from:
local thread = Thread { isolate = function() error "boom" end, name = "breaking" }:start()
assert(thread:join() == true and thread.result == nil)
assert(thread.error.message:find("a_failure_counts_like_that_of_an_operation.lua:5: boom", 1, true), thread.error.message)
assert(tostring(thread) == "Thread 'breaking' (failed)")
