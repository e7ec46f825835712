-- Thread { … }:start() runs one body on a thread of its own; join waits for its end, and `result` is its first result.
local thread = Thread { isolate = function(a, b) return a + b, "second" end, args = { 20, 22 }, name = "adder" }
assert(tostring(thread) == "Thread 'adder' (not started)")
assert(not thread.isExecuting and not thread.isFinished and thread.result == nil)
assert(thread:start() == thread)
assert(thread.isExecuting and tostring(thread) == "Thread 'adder' (executing)")
assert(thread:join() == true)
assert(thread.isFinished and not thread.isExecuting and thread.error == nil)
assert(thread.result == 42 and select("#", thread:results()) == 2 and select(2, thread:results()) == "second")
assert(thread:join() == true and tostring(thread) == "Thread 'adder' (finished)")
local work = Thread { work = "compute.primes", args = { 100 } }:start()
assert(work:join() and work.result == 25 and work.name == "compute.primes")
