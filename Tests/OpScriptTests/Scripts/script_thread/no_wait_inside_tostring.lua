-- Waiting inside `__tostring` raises `cannot wait here`.
local object = setmetatable({}, { __tostring = function()
    sleep(0.001)
    return "text"
end })
local ok, err = pcall(tostring, object)
assert(not ok and tostring(err):find("cannot wait here", 1, true), tostring(err))
local again
ok, again = pcall(string.format, "%s", object)
assert(not ok and tostring(again):find("cannot wait here", 1, true), tostring(again))
sleep(0)
