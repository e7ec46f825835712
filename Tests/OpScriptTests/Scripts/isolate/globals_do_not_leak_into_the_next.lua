-- States are used again, but each call has globals and libraries of its own.
local seen = isolate(function()
    local before = tostring(counter) .. tostring(string.mine) .. tostring(_G.other) .. tostring(math.floor == print)
    counter, string.mine, _G.other, math.floor = 1, 2, 3, print
    assert(counter == 1 and string.mine == 2 and other == 3)
    load("fromChunk = 1")()
    assert(fromChunk == 1)
    return before
end)
for _ = 1, 5 do assert(await(seen()) == "nilnilnilfalse") end
assert(counter == nil and string.mine == nil and other == nil)
local protected = isolate(function()
    local strings = getmetatable("")
    assert(strings == "string")
    local names = {}
    for name in pairs(_G) do names[name] = true end
    return names.print and names.string and names._G
end)
assert(await(protected()))
-- A seed that one call sets does not affect the random numbers of the next one.
local draw = isolate(function(seed)
    if seed then math.randomseed(seed) end
    return math.random(1 << 60)
end)
assert(await(draw(42)) == await(draw(42)))
local drawn = {}
for _ = 1, 3 do drawn[await(draw())] = true end
assert(next(drawn, next(drawn)), "three calls drew the same number")
