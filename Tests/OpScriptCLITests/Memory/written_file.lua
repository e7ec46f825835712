-- A text that Lua has, written by a work.
local isFine, problem = pcall(function()
    local isFine, problem = pawait(work.file.write("out", ("x"):rep(80 << 20)))
    assert(isFine or problem.code == "limit", tostring(problem))
end)
assert(isFine or tostring(problem):find "memory", tostring(problem))
print "end"
