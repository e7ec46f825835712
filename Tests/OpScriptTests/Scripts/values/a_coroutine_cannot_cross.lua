-- A coroutine given to a Swift closure is an error that names the place.
local ok, err = pcall(function()
    local op = work.json.encode { a = { b = coroutine.create(print) } }
    return op
end)
assert(not ok, "a coroutine crossed")
assert(tostring(err):find("bad argument #1 to 'json.encode' (field 'a.b': a ", 1, true), tostring(err))
assert(tostring(err):find("cannot leave the script thread", 1, true), tostring(err))
