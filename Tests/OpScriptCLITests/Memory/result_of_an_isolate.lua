-- The result is copied out of a state of its own, and the argument into it.
local long = isolate(function(count) return ("x"):rep(count) end)
local isFine, problem = pawait(long(900 << 20))
assert(not isFine, "a result of 900 MB")
isFine, problem = pcall(function()
    local size = isolate(function(text) return #text end)
    local isFine, problem = pawait(size(("x"):rep(60 << 20)))
    assert(isFine or problem.code == "limit" or tostring(problem):find "memory", tostring(problem))
end)
assert(isFine or problem.code == "limit" or tostring(problem):find "memory", tostring(problem))
print "end"
