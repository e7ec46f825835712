-- An error about an argument names its number: here a function in the second one.
local ok, err = pcall(function()
    local op = work.json.encode({ 1 }, { pretty = print })
    return op
end)
assert(not ok)
assert(tostring(err):find("bad argument #2 to 'json.encode'", 1, true), tostring(err))
assert(tostring(err):find("pretty", 1, true), tostring(err))
