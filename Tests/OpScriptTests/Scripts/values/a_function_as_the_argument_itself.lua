-- A function given to a Swift closure as the argument itself is an error that names the argument.
local ok, err = pcall(function()
    local op = work.json.encode(function() end)
    return op
end)
assert(not ok, "a function crossed")
assert(tostring(err):find("bad argument #1 to 'json.encode'", 1, true), tostring(err))
assert(tostring(err):find("a function", 1, true), tostring(err))
