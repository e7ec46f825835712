-- Changes elsewhere (state, outcome, result, error, counts) become visible only while the script waits.
local queue = OperationQueue()
local op = queue:addOperation(work.json.decode("[1]"))
sleep(0)
local before = { op.state, op.isFinished, op.outcome, queue.operationCount }
local until_time = clock.now() + 0.03
while clock.now() < until_time do end
assert(op.state == before[1] and op.isFinished == before[2], "the state changed without a wait")
assert(op.outcome == before[3] and queue.operationCount == before[4])
op:waitUntilFinished()
assert(op.isFinished and op.outcome == "succeeded" and queue.operationCount == 0)
