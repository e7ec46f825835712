-- The works of a block operation are made anew for each attempt; what cannot be made anew is refused.
local group = GroupOperation { name = "inner", Operation(function() end) }
local block = BlockOperation(group, function() end)
block.name = "outer"
block.retry = { attempts = 2 }
local isAdded, problem = pcall(function() OperationQueue():addOperation(block) end)
assert(not isAdded and problem.code == "misuse")
assert(problem:find("'outer' cannot be retried: its block 'inner' (GroupOperation) cannot be made anew", 1, true),
    tostring(problem))
block.retry = nil
OperationQueue():addOperation(block)
block:waitUntilFinished()
assert(block.outcome == "succeeded")
