-- A BlockOperation finishes when all its blocks have.
local gate, ended = Gate "gate", 0
local op = BlockOperation(function() ended = ended + 1 end, function()
    await(gate)
    ended = ended + 1
end)
OperationQueue():addOperation(op)
sleep(0)
assert(ended == 1 and not op.isFinished)
gate:finish()
op:waitUntilFinished()
assert(ended == 2 and op.outcome == "succeeded")
