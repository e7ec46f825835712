-- A script keeps all of its operations. The tables of the engine grow with them.
local isFine, problem = pcall(function()
    local operations = {}
    while true do
        local text = ("x"):rep(10000) .. #operations
        operations[#operations + 1] = Operation(function() return text end)
    end
end)
assert(not isFine and tostring(problem):find "memory", tostring(problem))
print "end"
