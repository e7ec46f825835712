-- The input is kept in a file.
local isFine, problem = pcall(function()
    local run = work.process.run { "wc", "-c", input = ("x"):rep(100 << 20) }
    local isFine, problem = pawait(run)
    assert(isFine or problem.code == "limit" or problem.code == "failed", tostring(problem))
end)
assert(isFine or tostring(problem):find "memory", tostring(problem))
print "end"
