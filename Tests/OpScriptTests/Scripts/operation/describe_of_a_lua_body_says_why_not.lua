-- `op:describe()` of an operation that is no work with plain arguments is an error that says why.
local body = Operation { name = "by hand", main = function() end }
local ok, err = pcall(function() return body:describe(), "no tail call" end)
assert(not ok and tostring(err):find("by hand", 1, true), tostring(err))
local fed = work.json.encode(body)
assert(not pcall(function() return fed:describe(), "no tail call" end), "an argument was an operation")
