-- A block operation that would depend on one of its own blocks, or contain itself, is refused.
local block = work.compute.primes(10)
local op = BlockOperation(block)
local function refused(text, ...)
    local ok, problem = pcall(...)
    assert(not ok and problem.code == "cycle" and problem:find(text, 1, true), problem)
end
refused("cannot depend on one of its own blocks", op.addDependency, op, block)
refused("cannot be its own block", op.addExecutionBlock, op, op)
assert(await(op) == 4)

-- A group that depends on what is inside it is told so when somebody waits for it.
local group, inside = GroupOperation { name = "all" }, Operation { name = "one", main = function() end }
group:addOperation(inside)
group:addDependency(inside)
local ok, problem = pcall(await, group)
assert(problem:find("'all' depends on 'one'; 'one' is inside of 'all', which has not started", 1, true), problem)
group:removeDependency(inside)
group:waitUntilFinished()
assert(inside.outcome == "succeeded")
