-- Each operation depends on the one before, whose first never ends.
local isFine, problem = pcall(function()
    local queue = OperationQueue { isSuspended = true }
    local last = Operation(function() end)
    while true do
        local text = ("x"):rep(50000) .. tostring(last)
        local op = Operation(function() return text end)
        op:addDependency(last)
        queue:addOperation(op)
        last = op
    end
end)
assert(not isFine and tostring(problem):find "memory", tostring(problem))
os.exit(0)
