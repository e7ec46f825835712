-- Makes a job that fails smaller, while it still fails in the same way.
local Shrink = {}

local function copy(value)
    if type(value) ~= "table" then return value end
    local result = {}
    for key, inner in pairs(value) do result[key] = copy(inner) end
    return result
end

-- Removes what refers to operations and queues that are gone.
local function tidy(job)
    local ops, queues = {}, {}
    for _, op in ipairs(job.ops) do ops[op.id] = op end
    for place = #job.ops, 1, -1 do
        local op = job.ops[place]
        if op.group and not ops[op.group] then
            ops[op.id] = nil
            table.remove(job.ops, place)
        end
    end
    for _, op in ipairs(job.ops) do
        if op.queue then queues[op.queue] = true end
        for place = #op.dependencies, 1, -1 do
            if not ops[op.dependencies[place].on] then
                if op.dependencies[place].isArgument then op.body.argument, op.body.value = nil, op.body.value or 100 end
                table.remove(op.dependencies, place)
            end
        end
    end
    if job.map then queues[job.map.queue] = true end
    if job.plain then queues[job.plain.queue] = true end
    for _, queue in ipairs(job.queues) do
        if queue.target and queues[queue.id] then queues[queue.target] = true end
    end
    for place = #job.queues, 1, -1 do
        if not queues[job.queues[place].id] then table.remove(job.queues, place) end
    end
    local function clean(steps)
        for place = #steps, 1, -1 do
            local step = steps[place]
            for inner = #(step.ops or {}), 1, -1 do
                if not ops[step.ops[inner]] then table.remove(step.ops, inner) end
            end
            if step.op and not ops[step.op] or step.on and not ops[step.on] or step.queue and not queues[step.queue]
                or step.ops and #step.ops == 0 then
                table.remove(steps, place)
            end
        end
    end
    for _, steps in ipairs(Shrink.lists(job)) do clean(steps) end
    for place = #job.waiters, 1, -1 do
        if not ops[job.waiters[place].op] then table.remove(job.waiters, place) end
    end
    return job
end

-- All lists of steps of a job.
function Shrink.lists(job)
    local lists = { job.steps }
    for _, timer in ipairs(job.timers) do lists[#lists + 1] = timer.steps end
    for _, op in ipairs(job.ops) do
        if op.body.steps then lists[#lists + 1] = op.body.steps end
        if op.completion then lists[#lists + 1] = op.completion.steps end
    end
    return lists
end

-- All ways to make a job a little smaller: functions that change a copy.
local function reductions(job)
    local list = {}
    local function may(fn) list[#list + 1] = fn end
    for place = #job.ops, 1, -1 do may(function(other) table.remove(other.ops, place) end) end
    for place = #job.timers, 1, -1 do may(function(other) table.remove(other.timers, place) end) end
    for place = #job.waiters, 1, -1 do may(function(other) table.remove(other.waiters, place) end) end
    for _, key in ipairs { "map", "plain", "perform", "ticks", "any", "never", "abort", "dispatchGroups" } do
        if job[key] then may(function(other) other[key] = nil end) end
    end
    for number, steps in ipairs(Shrink.lists(job)) do
        for place = #steps, 1, -1 do may(function(other) table.remove(Shrink.lists(other)[number], place) end) end
    end
    for place, op in ipairs(job.ops) do
        for inner = #op.dependencies, 1, -1 do
            if not op.dependencies[inner].isArgument then may(function(other) table.remove(other.ops[place].dependencies, inner) end) end
        end
        for inner = #(op.watches or {}), 1, -1 do may(function(other) table.remove(other.ops[place].watches, inner) end) end
        for _, key in ipairs { "priority", "class", "threadPriority", "retry", "resources", "completion", "dispatchGroup", "isBarrier",
            "allowsFailure" } do
            if op[key] ~= nil then may(function(other) other.ops[place][key] = nil end) end
        end
        if op.timeout then may(function(other) other.ops[place].timeout, other.ops[place].body.isEndless = nil, nil end) end
        if op.body.close then may(function(other) other.ops[place].body.close = nil end) end
        if op.body.width then may(function(other) other.ops[place].body.width = nil end) end
        if op.body.isClass then may(function(other) other.ops[place].body.isClass = nil end) end
        if op.body.hook and op.body.hook ~= "none" then may(function(other) other.ops[place].body.hook = "none" end) end
        if (op.body.failures or 0) > 0 then may(function(other) other.ops[place].body.failures = 0 end) end
        if op.body.kind ~= "lua" and op.body.kind ~= "gate" and op.body.kind ~= "group" then
            may(function(other) other.ops[place].body = { kind = "lua", failures = 0, steps = {} } end)
        end
        if op.how == "asyncAfter" or op.how == "sync" or op.how == "item" then may(function(other) other.ops[place].how = "async" end) end
        if op.how == "after" or op.how == "barrier" then may(function(other) other.ops[place].how = "add" end) end
    end
    for place, queue in ipairs(job.queues) do
        for _, key in ipairs { "isSuspended", "failFast", "target", "width" } do
            if queue[key] then may(function(other) other.queues[place][key] = nil end) end
        end
        if queue.class and queue.kind ~= "global" then may(function(other) other.queues[place].class = nil end) end
    end
    if job.final ~= "bounded" then may(function(other) other.final = "bounded" end) end
    if job.isLooking then may(function(other) other.isLooking = false end) end
    return list
end

-- Returns the smallest job that was found. `fails(job)` says whether a job fails in the same way; `isOver()` whether
-- the time is up.
function Shrink.run(job, fails, isOver)
    local hasChanged = true
    while hasChanged and not isOver() do
        hasChanged = false
        local place = 1
        while not isOver() do
            local list = reductions(job)
            if place > #list then break end
            local candidate = copy(job)
            list[place](candidate)
            tidy(candidate)
            if #candidate.ops > 0 and fails(candidate) then
                job, hasChanged = candidate, true
            else
                place = place + 1
            end
        end
    end
    return job
end

Shrink.copy = copy

return Shrink
