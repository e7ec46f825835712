-- A traversal keeps its order when entries are changed or removed, and metatables keep their __pairs.
-- arguments: --seed 1
local function keys(count)
    local list = {}
    for number = 1, count do
        list["k" .. number] = number
    end
    return list
end
local list, seen = keys(50), 0
for key in pairs(list) do
    seen = seen + 1
    list[key] = nil
    assert(next(keys(2)) == "k1")
    local inner = next(list)
    assert((inner == nil) == (seen == 50))
end
assert(seen == 50 and next(list) == nil)
list = keys(3)
assert(next(list) == "k1" and next(list, "k1") == "k2" and next(list, "k3") == nil)
list.k2 = nil
assert(next(list, "k1") == "k3" and next(list, "k2") == "k3")
local own = setmetatable({}, { __pairs = function() return function(_, last) return not last and 1 or nil end, 1, nil end })
local count = 0
for _ in pairs(own) do
    count = count + 1
end
assert(count == 1)
assert(not pcall(pairs) and not pcall(next, 5))
local ok, problem = pcall(function() for _ in pairs(nil) do end end)
assert(not ok and tostring(problem):find("table expected, got nil"), problem)
assert(await(isolate(function() local n = 0 for _ in pairs { a = 1, b = 2 } do n = n + 1 end return n end)()) == 2)
