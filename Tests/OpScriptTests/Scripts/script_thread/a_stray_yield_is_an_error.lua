-- A stray `coroutine.yield` is an error as in Lua.
local ok, err = pcall(coroutine.yield, 1)
assert(not ok and tostring(err):find("attempt to yield from outside a coroutine", 1, true), tostring(err))
local inner_ok, inner_err = await(async(function()
    local ok, err = pcall(coroutine.yield, 1)
    return ok, tostring(err)
end))
assert(inner_ok == false)
assert(inner_err:find("attempt to yield from outside a coroutine", 1, true), inner_err)
