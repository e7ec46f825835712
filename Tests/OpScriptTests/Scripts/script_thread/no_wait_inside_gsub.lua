-- Waiting inside a `gsub` callback raises `cannot wait here`.
local gate = Gate "gate"
local ok, err = pcall(string.gsub, "abc", "%a", function() return await(gate) end)
assert(not ok)
assert(tostring(err):find("cannot wait here: inside string.gsub", 1, true), tostring(err))
gate:finish("fine")
assert(await(gate) == "fine")
