-- A function given to a Swift closure is an error that names the place.
local ok, err = pcall(function()
    local op = work.json.encode { options = { filter = print } }
    return op
end)
assert(not ok, "a function crossed to Swift")
local expected = "bad argument #1 to 'json.encode' "
    .. "(field 'options.filter': a function cannot leave the script thread)"
assert(tostring(err):find(expected, 1, true), tostring(err))
