-- A thread has room for values that are nested as deeply as any may be, even if a small stack was requested.
local tree, list = 1, 1
for level = 1, 512 do
    tree = { a = tree, b = level }
    list = { list }
end
for _, value in ipairs { tree, list } do
    local thread = Thread { isolate = function(value) return value end, args = { value }, stackSize = 1 << 14 }
    thread:start():join()
    assert(json.encode(thread:results()) == json.encode(value))
end
