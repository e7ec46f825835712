-- State, outcome, result and counts that change elsewhere become visible together.
local queue = OperationQueue()
local op = queue:addOperation(work.json.decode("[5]"))
while not op.isFinished do
    assert(op.outcome == nil and op.result == nil and op.state ~= "finished" and queue.operationCount == 1)
    sleep(0)
end
assert(op.outcome == "succeeded" and op.result[1] == 5 and op.state == "finished")
assert(not op.isExecuting and queue.operationCount == 0 and #queue.operations == 0)
