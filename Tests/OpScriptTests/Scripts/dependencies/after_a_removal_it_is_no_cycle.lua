-- A dependency that would close a cycle is allowed after another edge of that cycle was removed.
local a, b = Operation(function() return "a" end), Operation(function() return "b" end)
a:addDependency(b)
a:removeDependency(b)
b:addDependency(a)
assert(await(b) == "b" and a.isFinished)
