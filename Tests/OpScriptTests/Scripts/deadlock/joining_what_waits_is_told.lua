-- A join is not a deadlock while its thread runs; a wait that nothing can end is reported once no thread is left.
local gate = Gate "never"
local thread = Thread.detach("sleep", 0.01)
local joined = async(function() return thread:join() end)
local ok, message = pcall(await, gate)
assert(not ok and message.code == "deadlock", tostring(message))
assert(message:find("the gate 'never'", 1, true), tostring(message))
assert(joined.isFinished and joined.result == true, "the deadlock was called while a thread ran")
gate:finish()
