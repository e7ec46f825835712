-- A `when` that does not exist raises and names the nearest; nothing is added.
local a, b = Operation(function() end), Operation(function() end)
local ok, err = pcall(function() b:addDependency(a, "suceeded") end)
assert(not ok and tostring(err):find("suceeded", 1, true), tostring(err))
assert(tostring(err):find("bad argument #2 to 'addDependency'", 1, true), tostring(err))
assert(tostring(err):find("succeeded", 1, true), tostring(err))
assert(#b.dependencies == 0 and b.isReady)
