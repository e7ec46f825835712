-- With allowsFailure a failed thread does not affect the status; an error table passes through unchanged.
local thread = Thread { isolate = function() error { code = 7 } end, allowsFailure = true }:start()
thread:join()
assert(thread.error.code == 7)
local mismatch = Thread { work = "file.read", args = { "/nothing/here" }, allowsFailure = true }:start()
mismatch:join()
assert(mismatch.error:find("cannot read '/nothing/here'", 1, true), tostring(mismatch.error))
