-- Ends elsewhere, while a script adds without a wait, become visible together at its next wait; until then all can be queried.
local folder <const> = await(work.file.temporary { directory = true })
local rounds = 0

-- Adds operations, and continues until workers have come past the first `count`, which a file shows that they write.
local function addMany(count, queue, prepare)
    rounds = rounds + 1
    local mark <const> = folder .. "/" .. rounds
    local ops, last = {}
    local function add(op)
        if prepare then prepare(op, #ops + 1) end
        ops[#ops + 1] = queue:addOperation(op)
    end
    for i = 1, count do add(i % 3 == 0 and work.json.encode { i } or work.compute.primes(i)) end
    add(work.file.write(mark, "done"))
    local seen
    repeat
        add(work.compute.primes(2))
        local file <close> = io.open(mark)
        seen = file ~= nil
    until seen
    for i = 1, 300 do add(work.compute.primes(i)) end
    return ops
end
local function isPrime(n)
    for i = 2, n - 1 do if n % i == 0 then return false end end
    return n > 1
end
-- The number of primes below a number.
local primes = { 0 }
for i = 2, 500 do primes[i] = primes[i - 1] + (isPrime(i - 1) and 1 or 0) end
local function check(ops, i)
    local op = ops[i]
    assert(op.isFinished and op.outcome == "succeeded" and op.state == "finished" and not op.isExecuting, i)
    assert(op.attempt == 1 and op.isReady and not op.isCancelled and op.error == nil, i)
end

-- No end is visible before the wait, though all bodies have ended; queries return the earlier state.
do
    local queue = OperationQueue { name = "numbers" }
    local order = {}
    local ops = addMany(200, queue, function(op, i)
        op.name = "number " .. i
        if i % 2 == 0 then op.completionBlock = function(it) order[#order + 1] = it end end
    end)
    assert(queue.operationCount == #ops)
    local listed = queue.operations
    assert(#listed == #ops)
    for i, op in ipairs(ops) do
        assert(listed[i] == op, i)
        assert(op.state == "ready" and not op.isFinished and op.outcome == nil and op.result == nil)
        assert(select("#", op:results()) == 0)
        assert(op.name == "number " .. i and op.queue == queue)
        assert(tostring(op):find("ready", 1, true))
    end
    collectgarbage()
    assert(#order == 0)
    queue:waitUntilAllOperationsAreFinished()
    assert(queue.operationCount == 0 and #queue.operations == 0)
    for i = 1, #ops do check(ops, i) end
    for i = 1, 200 do
        if i % 3 == 0 then assert(ops[i].result == ("[%d]"):format(i)) else assert(ops[i].result == primes[i]) end
    end
    assert(#order == #ops // 2)
    local called = {}
    for _, op in ipairs(order) do
        assert(not called[op] and op.isFinished)
        called[op] = true
    end
end

-- An operation that was never queried, and those that the script no longer holds.
do
    local queue = OperationQueue()
    local calls, sum = 0, 0
    addMany(300, queue, function(op, i)
        if i <= 300 and i % 3 ~= 0 then
            op.completionBlock = function(it) calls, sum = calls + 1, sum + it.result end
        end
    end)
    collectgarbage()
    local expected = 0
    for i = 1, 300 do if i % 3 ~= 0 then expected = expected + primes[i] end end
    sleep(0)
    queue:waitUntilAllOperationsAreFinished()
    assert(calls == 200 and sum == expected)
end

-- Uses of such an operation before the wait: waiting, depending, taking its result, observing, cancelling.
do
    local queue = OperationQueue()
    local told, settled = {}, {}
    local ops = addMany(100, queue)
    local dependent = work.compute.primes(10)
    for i = 1, 50 do dependent:addDependency(ops[i], i % 2 == 0 and "succeeded" or nil) end
    assert(#dependent.dependencies == 50)
    local contrary = work.compute.primes(10)
    contrary:addDependency(ops[51], "finished")
    contrary:addDependency(ops[52], "failed")
    local taking = work.json.encode { ops[4], ops[6], ops[7] }
    ops[60]:observe("isFinished", function(change)
        assert(change.object == ops[60] and change.old == false and change.new == true)
        told[#told + 1] = "finished"
    end)
    ops[61].completionBlock = function(op) settled[#settled + 1] = op end
    ops[62]:cancel()
    assert(not pcall(queue.addOperation, queue, ops[63]))
    assert(not pcall(function() ops[64]:addDependency(ops[65]) end))
    local late = {}
    for i = 66, 70 do late[i] = ops[i].progress end
    queue:addOperations { dependent, contrary, taking }
    assert(ops[71]:waitUntilFinished())
    check(ops, 71)
    assert(await(ops[7]) == 3 and await(ops[9]) == "[9]")
    local results = await.all { ops[10], ops[12], ops[13] }
    assert(results[1] == 4 and results[2] == "[12]" and results[3] == 5)
    local first, place = await.any { ops[72], ops[73] }
    assert(first == ops[71 + place])
    queue:waitUntilAllOperationsAreFinished()
    assert(dependent.outcome == "succeeded" and contrary.outcome == "skipped" and contrary.error == nil)
    assert(taking.result == '[2,"[6]",3]', taking.result)
    assert(#told == 1 and #settled == 1 and settled[1] == ops[61])
    assert(ops[62].outcome == (ops[62].isCancelled and "cancelled" or "succeeded"))
    for i = 66, 70 do assert(late[i].fractionCompleted == 1, i) end
    -- Ended ones can still be depended on, each by itself.
    local again = work.compute.primes(10)
    again:addDependency(ops[1], "failed")
    again:addDependency(ops[2])
    assert(#again.dependencies == 2)
    queue:addOperation(again)
    queue:waitUntilAllOperationsAreFinished()
    assert(again.outcome == "skipped" and again.error == nil)
end

-- The waits of completion blocks, and their uses of other ended ones.
do
    local queue = OperationQueue()
    local order, ops = {}
    ops = addMany(100, queue, function(op, i)
        if i == 10 then
            op.completionBlock = function(it)
                assert(it.isFinished)
                assert(ops[20]:waitUntilFinished())
                order[#order + 1] = "10 after 20"
            end
        elseif i == 20 then
            op.completionBlock = function() order[#order + 1] = "20" end
        elseif i == 30 then
            op.completionBlock = function(it)
                it.userInfo = "seen"
                queue:addOperation(work.compute.primes(3)).completionBlock = function() order[#order + 1] = "more" end
            end
        end
    end)
    queue:waitUntilAllOperationsAreFinished()
    assert(ops[30].userInfo == "seen")
    assert(order[1] == "20" and #order == 3)
end

-- Everything is cancelled before the ends are visible.
do
    local queue = OperationQueue()
    local ops = addMany(100, queue)
    queue:cancelAllOperations()
    queue:waitUntilAllOperationsAreFinished()
    for _, op in ipairs(ops) do assert(op.outcome == (op.isCancelled and "cancelled" or "succeeded")) end
end
await(work.file.remove(folder, { recursive = true }))
