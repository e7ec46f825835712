-- `op:finish` before its start is an error, unless cancelled.
local op = Operation { name = "asleep", start = function(self) self:finish("proper") end }
local ok, err = pcall(function() op:finish("too early") end)
assert(not ok and tostring(err):find("asleep", 1, true), tostring(err))
assert(not pcall(function() op:fail("too early") end))
assert(not op.isFinished)
assert(await(op) == "proper")
