-- The name that a thread has at its start is the one that its body sees.
local thread = Thread { isolate = function() return Thread.current.name, Thread.current.number end, name = "given" }
thread.name = "measure"
thread:start()
local name, number = thread:join()
assert(thread.name == "measure" and thread.result == "measure", thread.result)
assert(number == nil or number == thread.number)
