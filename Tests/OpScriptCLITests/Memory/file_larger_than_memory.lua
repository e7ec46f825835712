-- A file that a work reads, and Lua's own library.
await(work.process.run { "truncate", "-s", "3G", "large" })
for _, limit in ipairs { 256 << 20, 1 << 40 } do
    local isFine, problem = pawait(work.file.read("large", { limit = limit }))
    assert(not isFine and problem.code == "limit", tostring(problem))
end
local isFine, problem = pcall(function() return #assert(io.open("large")):read("a") end)
assert(not isFine and tostring(problem):find "memory", tostring(problem))
print "end"
