-- Each completion block is called once, after its operation has finished and in the order of the ends, even if
-- the blocks before it query, add or remove other operations.
local queue = OperationQueue()
local operations, called, order, late = {}, {}, 0, 0
local finished = setmetatable({}, { __mode = "k" })
local COUNT <const> = 3000

local function completed(op)
    local i = operations[op]
    assert(not called[i], "a block was called twice")
    assert(op.isFinished and op.outcome == "succeeded" and op.result == 0 and op.completionBlock == nil)
    order = order + 1
    called[i] = order
    if i % 10 == 0 and operations[i + 5] then
        -- An operation that may have ended: all queries about it.
        local other = operations[i + 5]
        local state = other.state
        assert(state == "finished" or not other.isFinished)
        if not other.isFinished then assert(other.result == nil and other.outcome == nil) end
        assert(queue.operationCount >= 0 and other.queue == queue)
    elseif i % 10 == 3 and operations[i + 1] and not operations[i + 1].isFinished then
        operations[i + 1].completionBlock = nil
        called[i + 1] = called[i + 1] or -1
    elseif i % 10 == 5 then
        local more = work.compute.primes(1)
        more.completionBlock = function() late = late + 1 end
        queue:addOperation(more)
    elseif i % 500 == 7 then
        for _, other in ipairs(queue.operations) do assert(not other.isFinished) end
    elseif i % 100 == 9 then
        collectgarbage "step"
    end
end

for i = 1, COUNT do
    local op = work.compute.primes(1)
    operations[i], operations[op] = op, i
    -- Every fourth has none.
    if i % 4 ~= 0 then op.completionBlock = completed end
    queue:addOperation(op)
end
queue:waitUntilAllOperationsAreFinished()
local count = 0
for i = 1, COUNT do
    assert(operations[i].isFinished and operations[i].result == 0)
    if i % 4 ~= 0 then
        assert(called[i], "a block was not called")
        if called[i] > 0 then count = count + 1 end
    else
        assert(not called[i] or called[i] == -1)
    end
end
assert(count == order and late > 0 and queue.operationCount == 0)

-- Nothing keeps them.
for i = 1, COUNT do finished[operations[i]] = true end
operations = nil
collectgarbage()
collectgarbage()
assert(next(finished) == nil, "an operation is still kept")
