-- Depending on itself is an error.
local op = Operation { name = "narcissus", main = function() end }
local ok, err = pcall(function() op:addDependency(op) end)
assert(not ok and tostring(err):find("narcissus", 1, true), tostring(err))
assert(err.code == "cycle", tostring(err.code))
assert(#op.dependencies == 0)
await(op)
