-- Tries every method and every property of every type in every state, and prints what happened: one line for each cell,
-- `type|state|member|result`. `ContractTableTests` compares the lines with the descriptors and with docs/contract.md.
--
-- A state is { name, make, passed = limits of settings that have passed }; `make` gives an object in that state, and a function
-- that ends it. `calls` has a call of each method, `values` a value for each property that can be set.
local nothing = function() end
local types = {}

local function held(queue)
    local op = Operation { name = "holder", start = nothing }
    queue:addOperation(op)
    sleep(0)
    return op
end

local function finishedOperation()
    local op = Operation { name = "done", main = function() return 1 end }
    await(op)
    return op
end

local function drop(op)
    if not op.isFinished then op:cancel() end
    if op.isExecuting and op.isAsynchronous then op:finish() end
    sleep(0)
end

local added = { "added" }
local ended = { "added", "started", "finished" }
OperationQueue.setResource("spare", 1)
local numberOfResource = 0
types[#types + 1] = {
    name = "Operation",
    states = {
        { "made", function()
            local op = Operation { name = "made", main = nothing }
            return op, function() drop(op) end
        end },
        { "waits for a dependency", passed = added, function()
            local gate, op = Gate(), Operation { name = "waiting", main = nothing }
            op:addDependency(gate)
            OperationQueue():addOperation(op)
            return op, function() drop(op) gate:finish() end
        end },
        { "in a suspended queue", passed = added, function()
            local queue, op = OperationQueue { isSuspended = true }, Operation { name = "held", main = nothing }
            queue:addOperation(op)
            return op, function() drop(op) queue.isSuspended = false sleep(0) end
        end },
        { "waits for a slot", passed = added, function()
            local queue, op = OperationQueue { maxConcurrentOperationCount = 1 }, Operation { name = "next", main = nothing }
            local holder = held(queue)
            queue:addOperation(op)
            return op, function() drop(op) holder:finish() sleep(0) end
        end },
        { "waits for a resource", passed = added, function()
            numberOfResource = numberOfResource + 1
            local name = "resource " .. numberOfResource
            OperationQueue.setResource(name, 1)
            local queue = OperationQueue()
            local holder = Operation { start = nothing, resources = { [name] = 1 } }
            local op = Operation { name = "next", main = nothing, resources = { [name] = 1 } }
            queue:addOperations { holder, op }
            sleep(0)
            return op, function() drop(op) holder:finish() sleep(0) end
        end },
        { "waits for a retry", passed = added, function()
            local op = Operation {
                name = "again", main = function() error("not yet") end, allowsFailure = true,
                retry = { attempts = 2, delay = 3600 },
            }
            OperationQueue():addOperation(op)
            repeat sleep(0) until op.attempt == 1 and op.state == "pending"
            return op, function() drop(op) end
        end },
        { "executes", passed = { "added", "started" }, function()
            local op = Operation { name = "executing", start = nothing }
            OperationQueue():addOperation(op)
            repeat sleep(0) until op.isExecuting
            return op, function() drop(op) end
        end },
        { "cancelled, not ended", passed = added, function()
            local queue, op = OperationQueue { isSuspended = true }, Operation { name = "held", main = nothing }
            queue:addOperation(op)
            op:cancel()
            return op, function() queue.isSuspended = false sleep(0) end
        end },
        { "finished", passed = ended, function() return finishedOperation(), nothing end },
        { "after its run", passed = ended, function() return kept.operation, nothing end },
    },
    calls = {
        addDependency = function(op) op:addDependency(finishedOperation()) end,
        removeDependency = function(op) op:removeDependency(finishedOperation()) end,
        cancel = function(op) op:cancel() end,
        start = function(op) op:start() end,
        waitUntilFinished = function(op) op:waitUntilFinished(0) end,
        observe = function(op) op:observe("isFinished", nothing) end,
        finish = function(op) op:finish() end,
        fail = function(op) op:fail("on purpose") end,
        results = function(op) op:results() end,
        lines = function(op) op:lines() end,
        signal = function(op) op:signal("HUP") end,
        describe = function(op) op:describe() end,
        addExecutionBlock = function(op) op:addExecutionBlock(nothing) end,
        addOperation = function(op) op:addOperation(nothing) end,
    },
    values = {
        name = "other", queuePriority = "high", qualityOfService = "utility", threadPriority = 0.25, completionBlock = nothing,
        timeout = 7200, retry = { attempts = 5 }, resources = { spare = 1 }, output = "group", cluster = { cpus = 2 }, allowsFailure = true, userInfo = "mine", cancelled = nothing,
        inputs = {}, outputs = {}, depfile = "file.d", recording = "never", version = "2",
    },
}

local function made(make)
    return function()
        local op = make()
        return op, function() drop(op) end
    end
end
local Own = Operation:subclass "Own"
function Own:main() end
types[#types + 1] = {
    name = "Operation", title = "Operation, of other kinds",
    states = {
        { "a work", made(function() return work.compute.primes(10) end) },
        { "a BlockOperation", made(function() return BlockOperation(nothing, nothing) end) },
        { "a BlockOperation, finished", passed = ended, function()
            local op = BlockOperation(nothing)
            await(op)
            return op, nothing
        end },
        { "an InvocationOperation", made(function() return InvocationOperation({ call = nothing }, "call") end) },
        { "a GroupOperation", made(function() return GroupOperation { work.compute.primes(10) } end) },
        { "a GroupOperation, finished", passed = ended, function()
            local op = GroupOperation { work.compute.primes(10) }
            await(op)
            return op, nothing
        end },
        { "a Gate", function()
            local gate = Gate()
            return gate, function() if not gate.isFinished then gate:finish() end end
        end },
        { "a Gate, finished", passed = ended, function()
            local gate = Gate()
            gate:finish()
            return gate, nothing
        end },
        { "asynchronous, finished", passed = ended, function()
            local op = Operation { start = function(op) op:finish() end }
            await(op)
            return op, nothing
        end },
        { "of a subclass", made(function() return Own {} end) },
    },
    calls = types[1].calls,
    values = types[1].values,
}

types[#types + 1] = {
    name = "OperationQueue",
    states = {
        { "empty", function() return OperationQueue(), nothing end },
        { "with operations", function()
            local queue = OperationQueue { maxConcurrentOperationCount = 1 }
            local holder = held(queue)
            return queue, function() drop(holder) queue.isSuspended = false end
        end },
        { "suspended", function()
            local queue = OperationQueue { isSuspended = true }
            queue:addOperation(nothing)
            return queue, function() queue.isSuspended = false sleep(0) end
        end },
        { "the main queue", function() return OperationQueue.main, nothing end },
        { "after its run", function()
            -- Earlier tries have added operations.
            kept.queue:waitUntilAllOperationsAreFinished()
            return kept.queue, nothing
        end },
    },
    calls = {
        addOperation = function(queue) queue:addOperation(nothing) end,
        addOperations = function(queue) queue:addOperations { Operation(nothing) } end,
        addBarrierBlock = function(queue) queue:addBarrierBlock(nothing) end,
        -- It waits, so it ends in a queue that executes nothing only because the wait is found to have no end.
        map = function(queue) queue:map({ 1 }, function() return Operation(nothing) end) end,
        cancelAllOperations = function(queue) queue:cancelAllOperations() end,
        waitUntilAllOperationsAreFinished = function(queue) queue:waitUntilAllOperationsAreFinished(0) end,
        observe = function(queue) queue:observe("operationCount", nothing) end,
    },
    values = {
        name = "other", maxConcurrentOperationCount = 7, isSuspended = false, qualityOfService = "utility", failFast = false,
        startsLongestFirst = true, userInfo = "mine", rate = { 5 }, widthPerKey = 2,
    },
}

types[#types + 1] = {
    name = "Timer",
    states = {
        { "made", function()
            local timer = Timer { interval = 3600, block = nothing }
            return timer, function() timer:invalidate() end
        end },
        { "scheduled", function()
            local timer = Timer.scheduledTimer { interval = 3600, repeats = true, block = nothing, keepsAlive = false }
            return timer, function() timer:invalidate() end
        end },
        { "invalidated", passed = { "ended" }, function()
            local timer = Timer.scheduledTimer(3600, true, nothing)
            timer:invalidate()
            return timer, nothing
        end },
        { "after its run", passed = { "ended" }, function() return kept.timer, nothing end },
    },
    calls = {
        fire = function(timer) timer:fire() end,
        invalidate = function(timer) timer:invalidate() end,
        schedule = function(timer) timer:schedule() end,
    },
    values = {
        interval = 1800, timeInterval = 1800, repeats = false, tolerance = 2, userInfo = "mine", fireDate = 4e9, keepsAlive = false,
        overlaps = true,
    },
}

types[#types + 1] = {
    name = "DispatchSource",
    states = {
        { "inactive", function() return DispatchSource.userDataAdd(), nothing end },
        { "active", function()
            local source = DispatchSource.userDataAdd()
            source:setEventHandler(nothing)
            source:activate()
            return source, function() source:cancel() sleep(0) end
        end },
        { "a timer, active", function()
            local source = DispatchSource.timer { deadline = 3600 }
            source:setEventHandler(nothing)
            source:activate()
            return source, function() source:cancel() sleep(0) end
        end },
        { "a timer, cancelled", passed = { "ended" }, function()
            local source = DispatchSource.timer { deadline = 3600 }
            source:activate()
            source:cancel()
            sleep(0)
            return source, nothing
        end },
        { "suspended", function()
            local source = DispatchSource.userDataAdd()
            source:activate()
            source:suspend()
            return source, function() source:cancel() sleep(0) end
        end },
        { "cancelled", passed = { "ended" }, function()
            local source = DispatchSource.userDataAdd()
            source:activate()
            source:cancel()
            sleep(0)
            return source, nothing
        end },
        { "after its run", passed = { "ended" }, function() return kept.source, nothing end },
    },
    calls = {
        setEventHandler = function(source) source:setEventHandler(nothing) end,
        setRegistrationHandler = function(source) source:setRegistrationHandler(nothing) end,
        setCancelHandler = function(source) source:setCancelHandler(nothing) end,
        activate = function(source) source:activate() end,
        resume = function(source) source:resume() end,
        suspend = function(source) source:suspend() end,
        cancel = function(source) source:cancel() end,
        mergeData = function(source) source:mergeData(1) end,
        setTimer = function(source) source:setTimer { deadline = 3600 } end,
        setFinalizer = function(source) source:setFinalizer(nothing) end,
    },
    values = { keepsAlive = false, context = "mine" },
}

types[#types + 1] = {
    name = "Progress",
    states = {
        { "of one's own", function() return Progress(4), nothing end },
        { "complete", function()
            local progress = Progress(1)
            progress.completedUnitCount = 1
            return progress, nothing
        end },
        { "cancelled", function()
            local progress = Progress(4)
            progress:cancel()
            return progress, nothing
        end },
        { "of an operation", passed = { "fed" }, function() return finishedOperation().progress, nothing end },
        { "of a queue", passed = { "fed" }, function() return OperationQueue().progress, nothing end },
    },
    calls = {
        cancel = function(progress) progress:cancel() end,
        addChild = function(progress) progress:addChild(Progress(1), 1) end,
        observe = function(progress) progress:observe("fractionCompleted", nothing) end,
    },
    values = { completedUnitCount = 3, totalUnitCount = 9, localizedDescription = "mine" },
}

types[#types + 1] = {
    name = "Thread",
    states = {
        { "made", function() return Thread { isolate = nothing }, nothing end },
        { "executing", passed = { "started" }, function()
            local thread = Thread.detach("block", 3600)
            return thread, function() thread:cancel() thread:join() end
        end },
        { "finished", passed = { "started", "finished" }, function()
            local thread = Thread.detach(isolate(nothing))
            thread:join()
            return thread, nothing
        end },
        { "cancelled before its start", function()
            local thread = Thread { isolate = nothing }
            thread:cancel()
            return thread, nothing
        end },
        { "the main thread", passed = { "started", "finished" }, function() return Thread.main, nothing end },
    },
    calls = {
        start = function(thread) thread:start():join() end,
        join = function(thread) thread:join(0) end,
        cancel = function(thread) thread:cancel() end,
        results = function(thread) thread:results() end,
    },
    values = { name = "other", stackSize = 1 << 20, qualityOfService = "utility", threadPriority = 0.25, allowsFailure = true },
}

types[#types + 1] = {
    name = "DispatchQueue",
    states = {
        { "empty", function() return DispatchQueue "one", nothing end },
        { "with bodies", function()
            local queue, semaphore = DispatchQueue "one", DispatchSemaphore(0)
            queue:async(function() semaphore:wait() end)
            sleep(0)
            return queue, function() semaphore:signal() sleep(0) end
        end },
        { "suspended", function()
            local queue = DispatchQueue "one"
            queue:suspend()
            return queue, function() pcall(queue.resume, queue) sleep(0) end
        end },
        { "a global queue", function() return DispatchQueue.global(), nothing end },
        { "the main queue", function() return DispatchQueue.main, nothing end },
        { "after its run", function() return kept.dispatchQueue, nothing end },
    },
    calls = {
        async = function(queue) queue:async(nothing) end,
        sync = function(queue)
            -- The body that holds a serial queue would hold this call for ever: only its refusals count.
            local problem
            local op = async(function()
                local ok, value = pcall(queue.sync, queue, nothing)
                if not ok then problem = value end
            end)
            op:waitUntilFinished(0.001)
            if problem then error(problem) end
        end,
        asyncAfter = function(queue) queue:asyncAfter(0, nothing) end,
        suspend = function(queue) queue:suspend() queue:resume() end,
        resume = function(queue) queue:resume() end,
        setSpecific = function(queue) queue:setSpecific("key", 1) end,
        getSpecific = function(queue) queue:getSpecific("key") end,
        setTarget = function(queue) queue:setTarget(nil) end,
        setFinalizer = function(queue) queue:setFinalizer(nothing) end,
    },
    values = { target = DispatchQueue "target", context = "mine" },
}

types[#types + 1] = {
    name = "DispatchGroup",
    states = {
        { "empty", function() return DispatchGroup(), nothing end },
        { "entered", function()
            local group = DispatchGroup()
            group:enter()
            return group, function() pcall(group.leave, group) end
        end },
    },
    calls = {
        enter = function(group) group:enter() end,
        leave = function(group) group:leave() end,
        notify = function(group) group:notify(DispatchQueue.main, nothing) end,
        wait = function(group) group:wait(0) end,
        setFinalizer = function(group) group:setFinalizer(nothing) end,
    },
    values = { context = "mine" },
}

types[#types + 1] = {
    name = "DispatchSemaphore",
    states = {
        { "without a signal", function() return DispatchSemaphore(0), nothing end },
        { "with a signal", function() return DispatchSemaphore(1), nothing end },
    },
    calls = {
        wait = function(semaphore) semaphore:wait(0) end,
        signal = function(semaphore) semaphore:signal() end,
        setFinalizer = function(semaphore) semaphore:setFinalizer(nothing) end,
    },
    values = { context = "mine" },
}

types[#types + 1] = {
    name = "DispatchWorkItem",
    states = {
        { "made", function() return DispatchWorkItem(nothing), nothing end },
        { "submitted", function()
            local queue, item = DispatchQueue "one", DispatchWorkItem(nothing)
            queue:suspend()
            queue:async(item)
            return item, function() queue:resume() sleep(0) end
        end },
        { "ended", function()
            local item = DispatchWorkItem(nothing)
            item:perform()
            return item, nothing
        end },
        { "cancelled", function()
            local item = DispatchWorkItem(nothing)
            item:cancel()
            return item, nothing
        end },
    },
    calls = {
        perform = function(item) item:perform() end,
        wait = function(item) item:wait(0) end,
        notify = function(item) item:notify(DispatchQueue.main, nothing) end,
        cancel = function(item) item:cancel() end,
    },
    values = { context = "mine" },
}

-- The result of one cell: "ok", or the code of the error.
local function outcome(ok, problem)
    if ok then return "ok" end
    if type(problem) == "userdata" then return problem.code end
    return "a plain error: " .. tostring(problem)
end

-- A fire date is kept as a moment of a clock that counts nanoseconds.
local function same(a, b)
    if type(a) == "number" and type(b) == "number" then return math.abs(a - b) < 0.001 end
    if type(a) ~= "table" or type(b) ~= "table" then return a == b end
    for key, value in pairs(a) do if not same(value, b[key]) then return false end end
    return true
end

local function try(kind, members)
    local title = kind.title or kind.name
    for _, state in ipairs(kind.states) do
        local passed = {}
        for _, limit in ipairs(state.passed or {}) do passed[#passed + 1] = limit end
        print(table.concat({ title, state[1], "", table.concat(passed, " ") }, "|"))
        local make = state[#state]
        for name, call in pairs(kind.calls) do
            local object, finish = make()
            print(table.concat({ title, state[1], name .. "()", outcome(pcall(call, object)) }, "|"))
            finish()
        end
        for _, property in ipairs(members) do
            local object, finish = make()
            local ok, problem = pcall(function() return object[property] end)
            print(table.concat({ title, state[1], property, outcome(ok, problem) }, "|"))
            local value = kind.values[property]
            -- A boolean is set to its opposite; other values are not defaults.
            if type(value) == "boolean" then value = not problem end
            if value ~= nil then
                local before = problem
                ok, problem = pcall(function() object[property] = value end)
                local result = outcome(ok, problem)
                if ok and not same(value, object[property]) then result = "ignored" end
                if not ok and not same(before, object[property]) then result = "refused, and set" end
                print(table.concat({ title, state[1], property .. " =", result }, "|"))
            end
            finish()
        end
    end
end

-- One argument more than a method takes is refused before anything else happens.
local function tryOneMore(kind, methods)
    for name, most in methods:gmatch("(%w+):(%d+)") do
        local object, finish = kind.states[1][#kind.states[1]]()
        local arguments = {}
        for place = 1, most + 1 do arguments[place] = "one" end
        local ok, problem = pcall(object[name], object, table.unpack(arguments))
        local isRefused = not ok and problem:find("(no value expected, got 'one')", 1, true)
        print(table.concat({ kind.title or kind.name, kind.states[1][1], name .. "(+)", isRefused and "argument" or "ignored" }, "|"))
        finish()
    end
end

-- The same for constructors, and for the functions beside them: `Timer.cron:2`.
for path, most in arg.functions:gmatch("([%w.]+):(%d+)") do
    local callee = _G
    for name in path:gmatch("%w+") do callee = callee[name] end
    local arguments = {}
    for place = 1, most + 1 do arguments[place] = "one" end
    local ok, problem = pcall(callee, table.unpack(arguments))
    local isRefused = not ok and problem:find("(no value expected, got 'one')", 1, true)
    print(table.concat({ "", "", path .. "(+)", isRefused and "argument" or "ignored" }, "|"))
end

for _, kind in ipairs(types) do
    tryOneMore(kind, arg[kind.name .. " methods"])
    local members = {}
    for name in arg[kind.name]:gmatch("%S+") do members[#members + 1] = name end
    try(kind, members)
end
