-- What would be a cycle is none after the edge that closed it was removed.
local a, b = Operation(function() return "a" end), Operation(function() return "b" end)
a:addDependency(b)
a:removeDependency(b)
b:addDependency(a)
assert(await(b) == "b" and a.isFinished)
