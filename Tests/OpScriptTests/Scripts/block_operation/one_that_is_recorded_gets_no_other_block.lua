-- `recording` is for one function: a block operation with several has it refused, and so has another block.
local block = BlockOperation(function() end)
block.name, block.recording = "mail", "once"
local ok, problem = pcall(block.addExecutionBlock, block, function() end)
assert(not ok and problem.code == "misuse", tostring(problem))
assert(tostring(problem):find("'mail' has the recording \"once\"", 1, true), tostring(problem))
block.recording = "never"
block:addExecutionBlock(function() end)
assert(#block.executionBlocks == 2)
OperationQueue.default:addOperation(block)
