-- `error("x")` in a Lua body makes `op.error.message` end in `x`.
local op = Operation { name = "failing", main = function() error("the disk is full") end }
assert(not pawait(op))
assert(op.outcome == "failed" and op.result == nil)
assert(op.error.code == "failed")
assert(op.error.message:find("the disk is full$"), op.error.message)
assert(tostring(op.error):find("message_of_a_raised_string%.lua:2: the disk is full$"), tostring(op.error))
