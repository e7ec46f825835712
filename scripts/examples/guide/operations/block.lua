#!/usr/bin/env opscript
-- A block operation runs one or more blocks. It finishes when the last block has ended. A block is a Lua
-- function or another operation; Swift closures run in parallel. There is one result for each block, in
-- the order in which the blocks were added.
-- In the guide: Operation Queues, "Creating an NSBlockOperation Object", listing 2-2

local operation = BlockOperation(function(op)
    print(op.name .. " begins")
    return "from Lua"
end)
operation.name = "survey"

-- More blocks may be added until the operation starts.
operation:addExecutionBlock(work.compute.primes(100))
operation:addExecutionBlock(work.compute.primes(1000))
print(#operation.executionBlocks .. " blocks")

operation.completionBlock = function(op) print(op.name .. " " .. op.outcome) end

OperationQueue.default:addOperation(operation)
operation:waitUntilFinished()
print(operation:results())

-- After the start it is too late.
local ok, problem = pcall(operation.addExecutionBlock, operation, function() end)
print(ok, problem.code)
