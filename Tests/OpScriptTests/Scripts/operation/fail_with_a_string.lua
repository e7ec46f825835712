-- `op:fail(error)` ends an asynchronous operation as failed.
local op = Operation { start = function(self) self:fail("line is dead") end }
local ok, err = pawait(op)
assert(not ok and op.outcome == "failed" and op.result == nil)
assert(err.code == "failed" and err.message:find("line is dead$"), err.message)
