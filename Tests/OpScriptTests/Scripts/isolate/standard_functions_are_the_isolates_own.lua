-- Functions and libraries of Lua that were captured as locals are those of the isolate.
local insert, text, G, select = table.insert, string, _G, select
local a, b, c, d = await(isolate(function(...)
    local t = {}
    insert(t, "x")
    return t[1] .. text.rep("y", 2), insert == table.insert and text == string, G == _G, select("#", ...)
end)(nil, nil))
assert(a == "xyy" and b == true and c == true and d == 2)
