-- A cycle: an error that prints the whole cycle.
local ops = {}
for i, name in ipairs { "edit", "compile", "link", "run" } do
    ops[i] = Operation { name = name, main = function() return name end }
    if i > 1 then ops[i]:addDependency(ops[i - 1]) end
end
local aside = Operation { name = "aside", main = function() end }
ops[3]:addDependency(aside)
local ok, err = pcall(function() ops[1]:addDependency(ops[4]) end)
assert(not ok and err.code == "cycle", tostring(err))
for _, name in ipairs { "edit", "compile", "link", "run" } do
    assert(tostring(err):find(name, 1, true), tostring(err))
end
assert(not tostring(err):find("aside", 1, true), tostring(err))
assert(#ops[1].dependencies == 0, "the edge that closes the cycle was kept")
assert(await(ops[4]) == "run")
