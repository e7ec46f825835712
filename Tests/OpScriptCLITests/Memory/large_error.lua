-- The text of an error, a name, and a description of progress.
local isFine, problem = pcall(function()
    local text = ("x"):rep(4 << 20)
    local op = Operation(function() error(text, 0) end)
    op.name = text
    Progress(100).localizedDescription = text
    OperationQueue.default:addOperation(op)
    assert(not pawait(op))
end)
assert(isFine or tostring(problem):find "memory", tostring(problem))
print "end"
