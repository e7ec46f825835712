-- `name` is a string: anything else raises.
local op = Operation { name = "before", main = function() end }
local ok, err = pcall(function() op.name = {} end)
assert(not ok and tostring(err):find("name", 1, true), tostring(err))
assert(tostring(err):find("string expected, got table", 1, true), tostring(err))
assert(op.name == "before")
await(op)
