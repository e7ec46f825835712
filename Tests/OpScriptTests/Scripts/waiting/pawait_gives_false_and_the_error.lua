-- `pawait(op)` returns false and the operation's error.
local op = Operation { name = "broken", main = function() error("no paper") end }
local ok, err = pawait(op)
assert(ok == false)
assert(err.code == "failed" and err.message:find("no paper$"), err.message)
assert(err == op.error)
