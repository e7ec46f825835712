-- A block operation that would depend on one of its own blocks, or contain itself, is refused.
local block = work.compute.primes(10)
local op = BlockOperation(block)
local function refused(text, ...)
    local ok, problem = pcall(...)
    assert(not ok and problem.code == "cycle" and problem:find(text, 1, true), problem)
end
refused("cannot depend on one of its own blocks", op.addDependency, op, block)
refused("cannot be its own block", op.addExecutionBlock, op, op)
local early = work.compute.primes(20)
op:addDependency(early)
refused("cannot be its block", op.addExecutionBlock, op, early)
op:removeDependency(early)
early:cancel()
assert(await(op) == 4)

-- The same holds for a group: the operations inside start with it.
local group, inside = GroupOperation { name = "all" }, Operation { name = "one", main = function() end }
group:addOperation(inside)
refused("'all' -> 'one' -> 'all'", group.addDependency, group, inside)
local after = Operation { name = "after", main = function() end, dependencies = { inside } }
refused("'all' -> 'after' -> 'one' -> 'all'", group.addDependency, group, after)
local other, late = GroupOperation { name = "other" }, Operation { name = "late", main = function() end }
other:addDependency(late)
refused("late", other.addOperation, other, late)
OperationQueue.default:addOperations { other, late, after }
await(group)
OperationQueue.default:waitUntilAllOperationsAreFinished()
assert(inside.outcome == "succeeded" and after.outcome == "succeeded" and other.outcome == "succeeded")
