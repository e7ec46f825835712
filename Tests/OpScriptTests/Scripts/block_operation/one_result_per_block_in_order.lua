-- The results of a BlockOperation: one per block, in order.
local op = BlockOperation(function()
    sleep(0.005)
    return "slow"
end, function() return "quick" end)
op:addExecutionBlock(function() return "last" end)
await(op)
local first, second, third = op:results()
assert(first == "slow" and second == "quick" and third == "last")
assert(select("#", op:results()) == 3)
