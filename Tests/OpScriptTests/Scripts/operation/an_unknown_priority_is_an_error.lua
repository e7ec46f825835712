-- A priority that does not exist raises, and names the nearest.
local op = Operation(function() end)
local ok, err = pcall(function() op.queuePriority = "heigh" end)
assert(not ok and tostring(err):find("heigh", 1, true) and tostring(err):find("high", 1, true), tostring(err))
assert(not pcall(function() op.queuePriority = {} end))
assert(op.queuePriority == "normal")
