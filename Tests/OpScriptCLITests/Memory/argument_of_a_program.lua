-- More than the system allows for all arguments.
local isFine, problem = pcall(function()
    local isFine, problem = pawait(work.process.run { "true", ("x"):rep(1 << 20) })
    assert(not isFine and problem.code == "failed" or problem.code == "limit", tostring(problem))
end)
assert(isFine or tostring(problem):find "memory", tostring(problem))
print "end"
