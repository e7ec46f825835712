-- A wait passes through any number of coroutines of the script, and their own yields are not affected.
local function nest(depth)
    if depth == 0 then
        sleep(0.001)
        return await(Operation(function() return "deep" end))
    end
    local co = coroutine.create(nest)
    local ok, value = coroutine.resume(co, depth - 1)
    assert(ok, value)
    assert(coroutine.status(co) == "dead", "a wait was taken for a yield")
    return value
end
assert(nest(10) == "deep")
assert(await(async(nest, 10)) == "deep")
