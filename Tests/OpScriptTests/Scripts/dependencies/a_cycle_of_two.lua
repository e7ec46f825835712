-- A cycle of two is an error that names both, in an order one can follow.
local a = Operation { name = "hen", main = function() end }
local b = Operation { name = "egg", main = function() end }
a:addDependency(b)
local ok, err = pcall(function() b:addDependency(a) end)
assert(not ok and err.code == "cycle")
local text = tostring(err)
assert(text:find("hen.*egg.*hen") or text:find("egg.*hen.*egg"), text)
await(a)
