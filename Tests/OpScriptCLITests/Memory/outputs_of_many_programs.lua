-- Each output is below its limit; all of them together are more than the memory.
local queue = OperationQueue { maxConcurrentOperationCount = 4 }
local operations = {}
for i = 1, 40 do
    operations[i] = work.process.run { "head", "-c", "30000000", "/dev/zero" }
    queue:addOperation(operations[i])
end
for _, op in ipairs(operations) do
    local isFine, problem = pawait(op)
    assert(isFine or problem.code == "limit", tostring(problem))
end
print "end"
