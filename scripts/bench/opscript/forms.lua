-- forms.lua FORM N REPETITIONS: Swift closures that do next to nothing, in the usual forms.
local form, n, repetitions = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3])
local primes = work.compute.primes

-- Adds n works that a function has prepared, and waits for them.
local function add(queue, n, prepare)
    local last
    for _ = 1, n do
        last = primes(1)
        prepare(last)
        queue:addOperation(last)
    end
    queue:waitUntilAllOperationsAreFinished()
    assert(last.outcome == "succeeded" and last.result == 0, "the last one failed")
end

local forms = {}

function forms.none(n) add(OperationQueue(), n, function() end) end

function forms.width(n) add(OperationQueue { maxConcurrentOperationCount = 4 }, n, function() end) end

function forms.priority(n) add(OperationQueue(), n, function(op) op.queuePriority = "high" end) end

function forms.name(n) add(OperationQueue(), n, function(op) op.name = "made" end) end

function forms.timeout(n) add(OperationQueue(), n, function(op) op.timeout = 60 end) end

function forms.retry(n)
    local policy = { attempts = 3 }
    add(OperationQueue(), n, function(op) op.retry = policy end)
end

-- Chains of ten.
function forms.dependency(n)
    local before, length = nil, 0
    add(OperationQueue(), n, function(op)
        if before then op:addDependency(before) end
        length = (length + 1) % 10
        before = length > 0 and op or nil
    end)
end

-- Each second one takes the result of the one before.
function forms.argument(n)
    local queue = OperationQueue()
    local last
    for _ = 1, n // 2 do
        local first = primes(1)
        last = primes(first)
        queue:addOperation(first)
        queue:addOperation(last)
    end
    queue:waitUntilAllOperationsAreFinished()
    assert(last.outcome == "succeeded", "the last one failed")
end

function forms.body(n)
    local queue, count = OperationQueue(), 0
    local function body() count = count + 1 end
    for _ = 1, n do queue:addOperation(body) end
    queue:waitUntilAllOperationsAreFinished()
    assert(count == n, "some bodies did not run")
end

function forms.serial(n)
    local queue = DispatchQueue { label = "serial" }
    for _ = 1, n - 1 do queue:async(primes(1)) end
    assert(queue:sync(primes(1)) == 0, "the last one failed")
end

function forms.map(n)
    local list = {}
    for place = 1, n do list[place] = place end
    local results = OperationQueue():map(list, function() return primes(1) end)
    assert(#results == n, "some results are missing")
end

local run = assert(forms[form], "no such form")
run(10000)
for _ = 1, repetitions do
    local start = clock.now()
    run(n)
    print(form, n, (clock.now() - start) * 1e9 // 1 | 0)
    collectgarbage()
end
