-- A dependency is released when the other operation has finished, whatever the queues, the bodies and the end.
--
-- Each case: two queues, an operation in each, of which the second depends on the first, perhaps one more operation in
-- one of the queues, and one way in which the dependency ends. This runs one case of `stride`; `opscript FILE 1` runs all.
local stride = tonumber(arg[1]) or 211

local queues = {
    unlimited = function() return OperationQueue() end,
    one = function() return OperationQueue { maxConcurrentOperationCount = 1 } end,
    background = function() return OperationQueue { qualityOfService = "background" } end,
    main = function() return OperationQueue.main end,
    default = function() return OperationQueue.default end,
    serial = function() return DispatchQueue { label = "serial" } end,
    concurrent = function() return DispatchQueue { label = "concurrent", attributes = "concurrent" } end,
    target = function()
        local target = DispatchQueue { label = "target" }
        return DispatchQueue { label = "below", attributes = "concurrent", target = target }
    end,
    globalDefault = function() return DispatchQueue.global("default") end,
    globalHigh = function() return DispatchQueue.global("high") end,
    globalLow = function() return DispatchQueue.global("low") end,
}

local bodies = {
    primes = function() return work.compute.primes(300) end,
    sleep = function() return work.sleep(0.0001) end,
    block = function() return work.block(0.0001) end,
    lua = function() return Operation(function() end) end,
    wait = function() return Operation(function() sleep(0.0001) end) end,
    nice = function()
        local operation = work.compute.primes(300)
        operation.threadPriority = 0.2
        return operation
    end,
    blocks = function() return BlockOperation(function() end, work.compute.primes(10)) end,
    group = function() return GroupOperation { work.compute.primes(10), function() sleep(0.0001) end } end,
}

local function add(queue, operation)
    if tostring(queue):find("^DispatchQueue") then queue:async(operation) else queue:addOperation(operation) end
end

-- How the dependency ends. Each returns the operation that is added to the first queue, and what happens then.
local ends = {
    finished = function(make) return make() end,
    cancelled = function(make)
        local first = make()
        return first, function() first:cancel() end
    end,
    failed = function()
        local failing = Operation(function() error("on purpose") end)
        failing.allowsFailure = true
        return failing
    end,
    skipped = function(make)
        local first, failing = make(), Operation(function() error("on purpose") end)
        failing.allowsFailure = true
        first:addDependency(failing)
        OperationQueue.default:addOperation(failing)
        return first
    end,
    removed = function(make, second)
        local first, gate = make(), Gate "gate"
        second:addDependency(gate, "finished")
        return first, function()
            second:removeDependency(gate)
            gate:cancel()
        end
    end,
}

local function sorted(t)
    local names = {}
    for name in pairs(t) do names[#names + 1] = name end
    table.sort(names)
    return names
end

local queueNames, bodyNames, endNames = sorted(queues), sorted(bodies), sorted(ends)
local extras = { "none", "first", "second" }

local function run(words)
    local firstQueue, secondQueue = queues[words[1]](), queues[words[2]]()
    local second = bodies[words[4]]()
    local added, act = ends[words[5]](bodies[words[3]], second)
    second:addDependency(added, "finished")
    add(firstQueue, added)
    add(secondQueue, second)
    local extra
    if words[6] ~= "none" then
        extra = work.sleep(0.0001)
        add(words[6] == "first" and firstQueue or secondQueue, extra)
    end
    if act then act() end
    local case = table.concat(words, " ")
    assert(second:waitUntilFinished(60), case .. ": the second operation is " .. second.state)
    assert(second.outcome == "succeeded", case .. ": the second operation has " .. tostring(second.outcome))
    assert(added:waitUntilFinished(60), case .. ": the first operation is " .. added.state)
    if extra then assert(extra:waitUntilFinished(60), case .. ": the third operation is " .. extra.state) end
end

local case = 0
for _, q1 in ipairs(queueNames) do
    for _, q2 in ipairs(queueNames) do
        for _, b1 in ipairs(bodyNames) do
            for _, b2 in ipairs(bodyNames) do
                for _, ending in ipairs(endNames) do
                    for _, extra in ipairs(extras) do
                        case = case + 1
                        if case % stride == 0 then run { q1, q2, b1, b2, ending, extra } end
                    end
                end
            end
        end
    end
end
