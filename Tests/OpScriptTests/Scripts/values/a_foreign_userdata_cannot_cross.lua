-- A foreign userdata given to a Swift closure is an error that names the place.
local ok, err = pcall(function()
    local op = work.json.encode { file = io.stdout }
    return op
end)
assert(not ok, "a file handle crossed")
assert(tostring(err):find("bad argument #1 to 'json.encode' (field 'file': ", 1, true), tostring(err))
assert(tostring(err):find("cannot leave the script thread", 1, true), tostring(err))
