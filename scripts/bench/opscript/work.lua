-- work.lua work|block|observed N REPETITIONS: Swift closures that do next to nothing, without and with a completion block or an observer.
local shape, n, repetitions = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3])
local queue = OperationQueue()
local primes = work.compute.primes

local function plain(n)
    local last
    for _ = 1, n do last = queue:addOperation(primes(1)) end
    queue:waitUntilAllOperationsAreFinished()
    assert(last.outcome == "succeeded" and last.result == 0, "the last one failed")
end

local function withCompletionBlock(n)
    local count, sum = 0, 0
    local function completed(op) count, sum = count + 1, sum + op.result end
    for _ = 1, n do
        local op = primes(1)
        op.completionBlock = completed
        queue:addOperation(op)
    end
    queue:waitUntilAllOperationsAreFinished()
    assert(count == n and sum == 0, "some completion blocks were not called")
end

local function observed(n)
    local count = 0
    local function changed(change) if change.new then count = count + 1 end end
    for _ = 1, n do
        local op = primes(1)
        op:observe("isFinished", changed)
        queue:addOperation(op)
    end
    queue:waitUntilAllOperationsAreFinished()
    assert(count == n, "some observers were not called")
end

local run = assert(({ work = plain, block = withCompletionBlock, observed = observed })[shape], "no such shape")
run(10000)
for _ = 1, repetitions do
    local start = clock.now()
    run(n)
    print(shape, n, (clock.now() - start) * 1e9 // 1 | 0)
    assert(queue.operationCount == 0)
    collectgarbage()
end
