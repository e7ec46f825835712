-- An error that `start = fn(op)` raises before the end fails the operation.
local op = Operation { start = function() error("no route") end }
local ok, err = pawait(op)
assert(not ok and op.outcome == "failed" and err.message:find("no route$"), tostring(err))
