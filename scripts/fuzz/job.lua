-- A job by chance. A job is data: queues, operations, timers and the steps of the main chunk. Additions to queues that
-- keep an order are made in the order of `ops`, and a dependency leads to an earlier operation, so that every job can
-- end. The last steps of the main chunk (see script.lua) add, resume and end everything that is left.
local Chance = require "chance"
local Features = require "features"

local Job = {}

local times = { 0, 0.001, 0.001, 0.002, 0.003, 0.005, 0.01 }
local priorities = { "veryLow", "low", "normal", "high", "veryHigh" }
local classes = { "background", "utility", "default", "userInitiated", "userInteractive" }
local conditions = { "notFailed", "succeeded", "finished", "failed" }

local Maker = {}
Maker.__index = Maker

function Maker:has(feature) return self.enabled[feature] end
function Maker:time() return self.chance:pick(times) end

function Maker:queue(kind, values)
    local queue = values or {}
    queue.kind = kind
    queue.id = "q" .. #self.job.queues + 1
    table.insert(self.job.queues, queue)
    return queue
end

function Maker:find(id)
    for _, queue in ipairs(self.job.queues) do
        if queue.id == id then return queue end
    end
end

function Maker:makeQueues()
    local chance = self.chance
    local function class() return self:has "classes" and chance:oneIn(2) and chance:pick(classes) or nil end
    if self:has "default" or not (self:has "operationQueues" or self:has "dispatchQueues" or self:has "global") then
        self:queue "default"
    end
    if self:has "operationQueues" then
        for _ = 1, chance:number(2) do
            local queue = self:queue("operation", { class = class() })
            if self:has "widths" then queue.width = chance:pick { 1, 1, 2, 3 } end
            if self:has "suspended" and chance:oneIn(2) then queue.isSuspended = true end
            if self:has "failFast" then queue.failFast = not chance:oneIn(3) end
            queue.isOrdered = self:has "barriers" and chance:oneIn(2)
        end
    end
    if self:has "dispatchQueues" then
        for _ = 1, chance:number(2) do
            local queue = self:queue(chance:pick { "serial", "concurrent" }, { class = class(), isOrdered = true })
            if self:has "targets" then
                local others = {}
                for _, other in ipairs(self.job.queues) do
                    if other ~= queue and (other.kind == "serial" or other.kind == "concurrent") then
                        others[#others + 1] = other.id
                    end
                end
                if #others > 0 then queue.target = chance:pick(others) end
            end
            if self:has "suspended" and chance:oneIn(2) then queue.isSuspended = true end
        end
    end
    if self:has "global" then
        for _ = 1, chance:number(2) do
            local class, isNew = chance:pick { "background", "low", "default", "high" }, true
            for _, other in ipairs(self.job.queues) do isNew = isNew and other.class ~= class end
            if isNew then self:queue("global", { class = class }) end
        end
    end
    if self:has "main" then self:queue("main", { isOrdered = true }) end
end

-- Some step of a script. `place` says where it runs: in "main", a "body" or a "callback" (a timer, an observer, a
-- completion block).
function Maker:step(place, own)
    local chance, kinds = self.chance, { { "nap", 1 } }
    if self:has "works" then kinds[#kinds + 1] = { "spin", 2 } end
    if place ~= "main" or self:has "sleepsInMain" then kinds[#kinds + 1] = { "sleep", 2 } end
    if self:has "cancels" and #self.job.ops > 0 then kinds[#kinds + 1] = { "cancel", 4 } end
    if self:has "cancelAll" then kinds[#kinds + 1] = { "cancelAll", 1 } end
    if self:has "waiters" and #self.job.ops > 0 then kinds[#kinds + 1] = { "wait", 3 } end
    if self:has "suspended" then kinds[#kinds + 1] = { "suspend", 1 } kinds[#kinds + 1] = { "resume", 2 } end
    if self:has "widths" then kinds[#kinds + 1] = { "width", 1 } end
    if self:has "priorities" and #self.job.ops > 0 then kinds[#kinds + 1] = { "priority", 1 } end
    if self:has "removals" and #self.job.ops > 0 then kinds[#kinds + 1] = { "remove", 2 } end
    if self:has "works" then kinds[#kinds + 1] = { "inline", 1 } end
    if self:has "semaphores" and place == "body" then kinds[#kinds + 1] = { "section", 2 } end
    local kind = chance:weighted(kinds)
    local step = { kind = kind }
    local function someOperation() return chance:oneIn(8) and own or chance:pick(self.job.ops).id end
    local function someQueue(test)
        local list = {}
        for _, queue in ipairs(self.job.queues) do
            if test(queue) then list[#list + 1] = queue.id end
        end
        return #list > 0 and chance:pick(list)
    end
    if kind == "sleep" then
        step.time = self:time()
    elseif kind == "cancel" then
        step.op = someOperation()
    elseif kind == "wait" then
        step.op, step.timeout = someOperation(), chance:pick { 0, 0.001, 0.005, 0.02 }
    elseif kind == "priority" then
        step.op, step.value = someOperation(), chance:pick(priorities)
    elseif kind == "remove" then
        local list = {}
        for _, op in ipairs(self.job.ops) do
            for _, dependency in ipairs(op.dependencies) do
                if not dependency.isArgument then list[#list + 1] = { op.id, dependency.on } end
            end
        end
        if #list == 0 then return { kind = "nap" } end
        local pair = chance:pick(list)
        step.op, step.on = pair[1], pair[2]
    elseif kind == "inline" then
        step.work, step.value = "sleep", self:time()
        if chance:oneIn(2) then step.work, step.value = "compute.primes", chance:number(300) end
    elseif kind == "section" then
        step.time = self:time()
    elseif kind == "cancelAll" then
        step.queue = someQueue(function(queue) return queue.kind == "operation" or queue.kind == "default" end)
    elseif kind == "suspend" or kind == "resume" then
        step.queue = someQueue(function(queue)
            return queue.kind == "operation" or queue.kind == "serial" or queue.kind == "concurrent"
        end)
    elseif kind == "width" then
        step.queue = someQueue(function(queue) return queue.kind == "operation" end)
        step.value = chance:pick { -1, 0, 1, 2, 3 }
    end
    if step.queue == false then return { kind = "nap" } end
    return step
end

function Maker:steps(most, place, own)
    local list = {}
    for _ = 1, self.chance:number(0, most) do list[#list + 1] = self:step(place, own) end
    return list
end

function Maker:body(id)
    local chance, kinds = self.chance, { { "lua", 6 } }
    local function may(feature, kind, weight)
        if self:has(feature) then kinds[#kinds + 1] = { kind, weight } end
    end
    may("works", "primes", 4)
    may("works", "sleep", 4)
    may("works", "block", 1)
    may("asynchronous", "asynchronous", 4)
    may("blocks", "blocks", 3)
    may("invocations", "invocation", 2)
    may("subclasses", "subclass", 2)
    may("isolates", "isolate", 2)
    if self:has "works" then may("failures", "missing", 3) end
    local kind = chance:weighted(kinds)
    local body = { kind = kind }
    if kind == "lua" or kind == "subclass" or kind == "invocation" or kind == "blocks" then
        body.failures = 0
        if self:has "failures" and chance:oneIn(3) then body.failures = chance:pick { 99, 99, 1, 2 } end
        if kind == "lua" or kind == "subclass" then
            body.steps = {}
            if self:has "closes" and chance:oneIn(2) then body.close = self:time() end
        end
    end
    if kind == "primes" then body.value = chance:pick { 10, 100, 1000, 3000 } end
    if kind == "sleep" or kind == "block" then body.value = self:time() end
    if kind == "isolate" then body.isFailing = self:has "failures" and chance:oneIn(3) end
    if kind == "asynchronous" then
        body.how = self:has "failures" and chance:oneIn(3) and "fail" or "finish"
        body.time = chance:oneIn(3) and -1 or self:time()
        body.hook = chance:pick { "none", "finish", "waits" }
        body.isClass = self:has "subclasses" and chance:oneIn(2)
        body.steps = {}
    elseif kind == "blocks" then
        body.blocks = {}
        for place = 1, chance:number(4) do
            local before = body.blocks[place - 1] or "lua"
            body.blocks[place] = before ~= "lua" and chance:oneIn(2) and "after"
                or chance:pick(self:has "works" and { "lua", "lua", "sleep", "primes" } or { "lua" })
        end
    end
    return body
end

function Maker:operation(values)
    local chance, ops = self.chance, self.job.ops
    local op = values or {}
    op.id = op.id or "a" .. #ops + 1
    op.dependencies = {}
    local queue = self:find(op.queue)
    local failsSoon = queue and queue.failFast and self:has "works" and self:has "failures" and not op.body and chance:oneIn(3)
    op.body = op.body or failsSoon and { kind = "missing" } or self:body(op.id)
    if self:has "dependencies" and not op.isFree and #ops > 0 and not (op.how == "start") then
        for _ = 1, chance:number(0, 2) do
            local other, isNew = chance:pick(ops), true
            for _, dependency in ipairs(op.dependencies) do isNew = isNew and dependency.on ~= other.id end
            local mayBe = not op.isLeafOnly and not other.isLeaf
            if op.group and other.group ~= op.group then mayBe = false end
            if isNew and mayBe then
                local when = self:has "conditions" and chance:pick(conditions) or "notFailed"
                table.insert(op.dependencies, { on = other.id, when = when })
            end
        end
        local kind = op.body.kind
        if self:has "arguments" and kind == "primes" and chance:oneIn(2) then
            local other = chance:pick(ops)
            local fits = other.body.kind == "primes" or other.body.kind == "lua"
            if fits and not other.isLeaf and (not op.group or other.group == op.group) then
                op.body.argument = other.id
                for place = #op.dependencies, 1, -1 do
                    if op.dependencies[place].on == other.id then table.remove(op.dependencies, place) end
                end
                table.insert(op.dependencies, { on = other.id, when = "succeeded", isArgument = true })
            end
        end
    end
    local kind = op.body.kind
    if self:has "priorities" and chance:oneIn(2) then op.priority = chance:pick(priorities) end
    if self:has "classes" and chance:oneIn(2) then op.class = chance:pick(classes) end
    if self:has "classes" and chance:oneIn(3) then op.threadPriority = chance:pick { 0, 0.2, 0.4, 0.5 } end
    if kind ~= "gate" and kind ~= "group" then
        -- Whether `start` repeats a failed attempt is not said.
        if self:has "retry" and chance:oneIn(2) and op.how ~= "start" and not failsSoon then
            op.retry = { attempts = chance:number(3), delay = self:time() }
        end
        if self:has "resources" and chance:oneIn(2) and op.how ~= "start" then
            op.resources = { [chance:pick(self.job.resources).name] = 1 }
        end
        if self:has "timeouts" and chance:oneIn(2) then
            -- A time limit is either never reached or always.
            if (kind == "lua" or kind == "asynchronous" and not op.retry) and chance:oneIn(2) then
                op.timeout, op.body.isEndless = chance:pick { 0.002, 0.01 }, true
            else
                op.timeout = 60
            end
        end
    end
    if chance:oneIn(3) and not failsSoon then op.allowsFailure = true end
    if self:has "completions" and chance:oneIn(2) or queue and queue.failFast then
        op.completion = { steps = {} }
    end
    if self:has "observers" and chance:oneIn(2) then
        op.watches = {}
        for place = 1, chance:number(2) do
            op.watches[place] = chance:pick { "*", "isFinished", "isFinished", "isReady", "isExecuting", "isCancelled" }
        end
    end
    if self:has "dispatchGroups" and op.how == "async" and chance:oneIn(2) then op.dispatchGroup = "g1" end
    table.insert(ops, op)
    return op
end

-- Where an operation goes, and how.
function Maker:placement()
    local chance = self.chance
    local queue = chance:pick(self.job.queues)
    local isDispatch = queue.kind == "serial" or queue.kind == "concurrent" or queue.kind == "global"
    local values = { queue = queue.id, how = isDispatch and "async" or "add" }
    if self:has "manual" and chance:oneIn(6) then return { how = "start", isFree = true, isLeaf = true } end
    if queue.isOrdered and chance:oneIn(6) then values.isFree, values.isLeaf = true, true end
    if self:has "later" and chance:oneIn(4) and queue.kind ~= "main" then
        values.how = isDispatch and "asyncAfter" or "after"
        values.time = self:time()
        if isDispatch then values.isLeaf = true end
    elseif self:has "barriers" and queue.kind == "operation" and queue.isOrdered and chance:oneIn(3) then
        values.how = "barrier"
    elseif self:has "barriers" and queue.kind == "concurrent" and chance:oneIn(3) then
        values.isBarrier = true
    elseif self:has "syncs" and isDispatch and chance:oneIn(4) then
        values.how, values.isFree, values.isLeaf = "sync", true, true
    elseif self:has "workItems" and isDispatch and chance:oneIn(4) then
        values.how, values.isFree, values.isLeaf = "item", true, true
    end
    return values, queue
end

function Maker:makeOperations()
    local chance = self.chance
    for _ = 1, chance:oneIn(25) and chance:number(40) or chance:number(self.isSmall and 4 or 12) do
        if self:has "gates" and chance:oneIn(5) then
            local op = self:operation { body = { kind = "gate" }, how = "none", isFree = true }
            op.body.how = self:has "failures" and chance:oneIn(3) and "fail" or "finish"
        elseif self:has "groups" and chance:oneIn(4) then
            local values = self:placement()
            if values.how ~= "start" and values.how ~= "item" then
                values.body = { kind = "group" }
                if self:has "widths" then values.body.width = chance:number(2) end
                local group = self:operation(values)
                for _ = 1, chance:number(0, 3) do
                    self:operation { group = group.id, how = "member", isLeaf = group.isLeaf }
                end
            end
        else
            self:operation((self:placement()))
        end
    end
end

-- Distributes the additions and other steps over the main chunk, bodies, timers and callbacks.
function Maker:makeSteps()
    local chance, job, ordered = self.chance, self.job, {}
    for _, queue in ipairs(job.queues) do ordered[queue.id] = queue.isOrdered end
    for _, op in ipairs(job.ops) do
        if op.body.steps and self:has "steps" then op.body.steps = self:steps(4, "body", op.id) end
        if op.body.steps and op.group and chance:oneIn(3) then
            table.insert(op.body.steps, chance:number(#op.body.steps + 1), { kind = "join", op = op.group })
        end
        if op.completion and self:has "callbackSteps" then op.completion.steps = self:steps(2, "callback", op.id) end
    end
    local lists = {}
    for _, timer in ipairs(job.timers) do lists[#lists + 1] = timer.steps end
    for _, op in ipairs(job.ops) do
        if op.body.steps then lists[#lists + 1] = op.body.steps end
        if op.completion then lists[#lists + 1] = op.completion.steps end
    end
    local pending = {}
    local function flush()
        if #pending > 0 then table.insert(job.steps, { kind = "addAll", queue = pending.queue, ops = pending }) end
        pending = {}
    end
    for _, op in ipairs(job.ops) do
        local isElsewhere = op.how ~= "none" and op.how ~= "member" and #lists > 0 and chance:oneIn(5)
            and (not ordered[op.queue] or op.isFree)
        local isTogether = op.how == "add" and op.queue and chance:oneIn(3) and not isElsewhere
        if pending.queue and (not isTogether or pending.queue ~= op.queue) then flush() end
        if isElsewhere then
            local steps = chance:pick(lists)
            table.insert(steps, chance:number(#steps + 1), { kind = "add", op = op.id })
        elseif isTogether then
            pending.queue = op.queue
            table.insert(pending, op.id)
        elseif op.how ~= "none" and op.how ~= "member" then
            table.insert(job.steps, { kind = "add", op = op.id })
        end
        if #pending == 0 and chance:oneIn(4) then table.insert(job.steps, self:step("main")) end
        -- A worker may end it before the script can see this.
        if op.body.kind == "missing" and chance:oneIn(2) then table.insert(job.steps, { kind = "spin" }) end
    end
    flush()
    for _ = 1, chance:number(0, 4) do table.insert(job.steps, self:step("main")) end
    if self:has "waiters" then
        for _ = 1, chance:number(3) do
            local list = {}
            for _, op in ipairs(job.ops) do
                if op.how ~= "start" then list[#list + 1] = op.id end
            end
            if #list > 0 then
                table.insert(job.waiters, { op = chance:pick(list), how = chance:pick { "wait", "wait", "pawait" } })
            end
        end
    end
end

function Maker:makeTimers()
    if not self:has "timers" then return end
    for _ = 1, self.chance:number(3) do
        table.insert(self.job.timers, { at = self:time(), steps = self:steps(3, "callback") })
    end
end

-- Features around the operations, each of which checks itself.
function Maker:makeExtras()
    local chance, job = self.chance, self.job
    if self:has "dispatchGroups" then job.dispatchGroups = { "g1" } end
    if self:has "semaphores" then job.semaphore = chance:number(2) end
    if self:has "maps" then
        local queues = {}
        for _, queue in ipairs(job.queues) do
            if queue.kind == "operation" or queue.kind == "default" then queues[#queues + 1] = queue.id end
        end
        if #queues > 0 then
            job.map = { queue = chance:pick(queues), count = chance:number(6), limit = chance:pick { 1, 2, 8, nil },
                kind = chance:pick { "value", "primes", "lua" }, failing = self:has "failures" and chance:number(6) or 0 }
        end
    end
    if self:has "plain" then
        local queue = chance:pick(job.queues)
        local isDispatch = queue.kind == "serial" or queue.kind == "concurrent" or queue.kind == "global" or queue.kind == "main"
        local how = isDispatch and "async" or queue.isOrdered and chance:oneIn(3) and "barrier" or "addOperation"
        job.plain = { queue = queue.id, count = chance:number(6), how = how }
    end
    if self:has "timerKinds" then job.ticks = { interval = chance:pick { 0.001, 0.002, 0.005 }, count = chance:number(4) } end
    if self:has "performs" then job.perform = { count = chance:number(5), time = self:time() } end
    if self:has "anys" and #job.ops > 1 then job.any = true end
    if self:has "never" then
        job.never = { kind = chance:pick { "suspended", "width", "unadded" }, dependents = chance:number(0, 2) }
    end
    if self:has "abort" then job.abort = self:time() end
    job.final = chance:pick { "bounded", "bounded", "unbounded", "report", "queues" }
    job.isLooking = not chance:oneIn(4)
end

function Job.make(seed)
    local chance = Chance.new(seed)
    local maker = setmetatable({ chance = chance }, Maker)
    maker.isSmall = chance:oneIn(2)
    maker.enabled = Features.choose(chance)
    maker.job = { seed = seed, queues = {}, ops = {}, timers = {}, steps = {}, waiters = {}, resources = {} }
    maker.job.resources = { { name = "r1", total = chance:number(2) } }
    maker:makeQueues()
    maker:makeOperations()
    maker:makeTimers()
    maker:makeSteps()
    maker:makeExtras()
    for _, op in ipairs(maker.job.ops) do
        if op.body.kind == "gate" and (chance:oneIn(2) or maker.job.abort) then op.body.time = maker:time() end
    end
    return maker.job
end

return Job
