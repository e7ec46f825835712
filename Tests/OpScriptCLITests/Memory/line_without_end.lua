-- A reader of lines waits for the end of a line that has none, up to the limit of the output.
local op = work.process.shell("tr '\\0' x </dev/zero", { limit = 16 << 20 })
OperationQueue.default:addOperation(op)
assert(op:lines()() == nil or #op:lines()() > 0)
local isFine, problem = pawait(op)
assert(not isFine and problem.code == "limit", tostring(problem))
print "end"
