-- Before the end there is no result, no outcome and no error.
local gate = Gate "gate"
local op = OperationQueue():addOperation(function()
    await(gate)
    return 1
end)
sleep(0)
assert(op.result == nil and op.outcome == nil and op.error == nil and select("#", op:results()) == 0)
gate:finish()
op:waitUntilFinished()
assert(op.result == 1)
