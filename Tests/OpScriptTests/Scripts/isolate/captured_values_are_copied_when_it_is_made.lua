-- The captured variables are copied when isolate(fn) is called; later changes on either side are not seen by the other.
local number, settings = 1, { depth = { 7 } }
local read = isolate(function()
    number = number + 1
    settings.depth[1] = settings.depth[1] + 1
    return number, settings.depth[1]
end)
number, settings.depth[1] = 100, 100
local a, b = await(read())
assert(a == 2 and b == 8, a .. " " .. b)
a, b = await(read())
assert(a == 2 and b == 8, "the second call saw what the first one left behind")
assert(number == 100 and settings.depth[1] == 100)
