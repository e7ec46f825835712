-- One text, eight times in the result.
local isFine, problem = pcall(function()
    local text = ("x"):rep(40 << 20)
    local isFine, problem = pawait(work.json.encode { text, text, text, text, text, text, text, text })
    assert(isFine or problem.code == "limit", tostring(problem))
end)
assert(isFine or problem.code == "limit" or tostring(problem):find "memory", tostring(problem))
print "end"
