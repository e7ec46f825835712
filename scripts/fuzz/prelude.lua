-- The first part of each generated script: it prints facts, a line each, and checks what a script can check at once.
-- A line has the time, the kind of the fact, its subject, and its values, with tabs between them.
local lines, began = {}, clock.now()
local op, q, item, group, semaphore = {}, {}, {}, {}, {}
local all, queues, info, totals = {}, {}, {}, {}      -- operations in order; what the generator knows about each
local looking, looks, rescued = false, true, false
local look

local function fact(kind, subject, ...)
    local parts = { ("%.6f"):format(clock.now() - began), kind, subject, ... }
    for place = 1, select("#", ...) + 3 do parts[place] = tostring(parts[place]):gsub("[\n\t]", " ") end
    local line = table.concat(parts, "\t")
    lines[#lines + 1] = line
    print(line)
end

local function note(...)
    fact(...)
    if looks and not looking then
        looking = true
        look()
        looking = false
    end
end

-- Each rule is reported once for each subject.
local reported = {}
local function broken(rule, subject, ...)
    if reported[rule .. subject] then return end
    reported[rule .. subject] = true
    fact("broken", subject, rule, ...)
end

-- The names of operations in a list that are not finished.
local function unfinished(names)
    local list = {}
    for _, name in ipairs(names) do
        if op[name].state ~= "finished" then list[#list + 1] = name end
    end
    return table.concat(list, ",")
end

-- The queue above a queue that admits one body at a time, if there is one.
local function serialRoot(queue)
    local root
    while queue do
        if queue.kind == "serial" then root = queue end
        queue = queue.target and queues[queue.target]
    end
    return root
end

-- Checks everything that is visible now.
look = function()
    local busy, held = {}, {}
    for _, name in ipairs(all) do
        local o, about = op[name], info[name]
        local state, outcome = o.state, o.outcome
        if (state == "finished") ~= (outcome ~= nil) or (state == "finished") ~= o.isFinished
            or (state == "executing") ~= o.isExecuting then
            broken("together", name, state, outcome, o.isFinished, o.isExecuting)
        end
        if outcome ~= nil and outcome ~= "succeeded" and o.result ~= nil then broken("result", name, outcome) end
        if (outcome == "cancelled") and not o.isCancelled then broken("cancelled", name, "isCancelled is false") end
        if state == "finished" then
            for _, inner in ipairs(about.joined or {}) do
                if not inner.isFinished then broken("groupEnd", name, "an operation in it is " .. inner.state) end
            end
        end
        if state == "ready" and not o.isReady then broken("together", name, state, "isReady is false") end
        local isDecided = state == "executing" or state == "ready" and not o.isCancelled
            or outcome == "skipped" and not (about.group and op[about.group].outcome == "skipped")
        if isDecided then
            for _, other in ipairs(o.dependencies) do
                if not other.isFinished then broken("dependency", name, state, other.name, other.state) end
            end
        end
        if state == "executing" then
            for resource, amount in pairs(about.resources or {}) do
                held[resource] = (held[resource] or 0) + amount
                if held[resource] > totals[resource] then broken("resources", name, resource, held[resource]) end
            end
            local queue = about.added and not about.isManual and queues[about.queue]
            if queue then
                busy[queue] = (busy[queue] or 0) + 1
                if queue.limit and queue.limit >= 0 and busy[queue] > queue.limit then
                    broken("width", queue.id, queue.limit, busy[queue], name)
                end
                local root = serialRoot(queue)
                if root and root ~= queue then
                    busy[root] = (busy[root] or 0) + 1
                    if busy[root] > 1 then broken("serial", root.id, name) end
                end
            end
        end
    end
    -- Barriers, and the order of serial queues.
    for _, queue in pairs(queues) do
        if queue.isOrdered then
            local barrier, before
            for _, name in ipairs(queue.entered) do
                local about, state = info[name], op[name].state
                if state == "executing" then
                    if about.isBarrier and before then broken("barrier", name, "before it", before) end
                    if barrier then broken("barrier", name, "after", barrier) end
                    if queue.kind == "serial" and before then broken("serialOrder", name, "before it", before) end
                end
                if state ~= "finished" then
                    before = before or name
                    if about.isBarrier then barrier = barrier or name end
                end
            end
        end
    end
end

-- A body in Lua: it notes its start and its end. `fails` is the number of attempts that fail.
local function body(name, fails, fn)
    local function ended(ok, ...)
        if ok then
            note("end", name, "returned")
            return ...
        end
        local problem = ...
        note("end", name, type(problem) ~= "string" and problem.code or "failed")
        error(problem, 0)
    end
    return function(self)
        self = op[name]
        note("start", name, self.attempt)
        local about = info[name]
        if not about.isManual and about.rank then
            for _, other in ipairs(queues[about.queue].entered) do
                local rival = info[other]
                if rival.rank and other ~= name and op[other].state == "ready" and not op[other].isCancelled
                    and (rival.rank > about.rank or rival.rank == about.rank and rival.added < about.added) then
                    broken("priority", name, "before", other)
                end
            end
        end
        return ended(pcall(function()
            local value = fn and fn(self) or 10
            if self.attempt <= fails then error("a failure by plan", 0) end
            return value
        end))
    end
end

-- Runs `fn` in each callback and step: an error would end the run.
local function try(what, fn, ...)
    local ok, problem = pcall(fn, ...)
    if ok then return true, problem end
    local code = type(problem) ~= "string" and problem.code or "failed"
    if code ~= "cancelled" and code ~= "misuse" then note("raised", what, code, tostring(problem)) end
    return false, code
end

local count = 0
local function entered(name)
    count = count + 1
    info[name].added = count
    local queue = queues[info[name].queue]
    if queue then queue.entered[#queue.entered + 1] = name end
end

-- Whether a failure is visible that cancels what has not started in a queue with `failFast`.
local function failureIsVisible(queue)
    for name, about in pairs(info) do
        if about.queue == queue and op[name].outcome == "failed" and not op[name].allowsFailure then return true end
    end
    return false
end

-- Adds operations by `call`; the call itself may show effects, so they count as added before it.
local function add(names, call)
    for _, name in ipairs(names) do
        if info[name].added then return end
    end
    for _, name in ipairs(names) do
        if not info[name].entersLater then entered(name) else info[name].added = 0 end
        fact("add", name, info[name].queue, failureIsVisible(info[name].queue))
    end
    local ok, problem = pcall(call)
    if not ok then
        local code = type(problem) ~= "string" and problem.code or problem
        note("raised", names[1], code, "add", tostring(problem))
    end
    for _, name in ipairs(names) do note("added", name, op[name].state) end
end

local cancelAll

local function cancel(name)
    local o = op[name]
    if info[name].members then
        local names = { name, table.unpack(info[name].members) }
        return cancelAll(name, o.state == "finished" and {} or names, function() o:cancel() end)
    end
    local before, was = o.state, o.isCancelled
    fact("cancel", name, before)
    o:cancel()
    if before == "finished" then
        if o.isCancelled ~= was then broken("afterTheEnd", name, "isCancelled changed") end
    elseif not o.isCancelled then
        broken("cancelAtOnce", name, before)
    end
    note("cancelled", name, o.state)
end

-- Cancels several at once by `call`; `names` are those that it has to cancel.
cancelAll = function(subject, names, call)
    local open = {}
    for _, name in ipairs(names) do
        if op[name].state ~= "finished" then open[#open + 1] = name end
    end
    for _, name in ipairs(open) do fact("cancel", name, op[name].state, "with " .. subject) end
    call()
    for _, name in ipairs(open) do
        if not op[name].isCancelled then broken("cancelAtOnce", name, op[name].state, "with " .. subject) end
    end
    note("cancelled", subject)
end

local function membersIn(queue)
    local names = {}
    for _, o in ipairs(queue.operations) do
        if op[o.name] == o then
            names[#names + 1] = o.name
            for _, name in ipairs(info[o.name].members or {}) do names[#names + 1] = name end
        end
    end
    return names
end

local function remove(name, other)
    local o, open = op[name], false
    local before = o.state
    for _, dependency in ipairs(o.dependencies) do open = open or not dependency.isFinished end
    fact("remove", name, other, before, open and "open" or "decided", info[name].added and "added" or "not added")
    try("remove", o.removeDependency, o, op[other])
    note("removed", name, other, o.state)
end

-- Whether the operation and all that it depends on are in queues, so that `await` submits nothing.
local isComplete
isComplete = function(name)
    local about = info[name]
    if about.group then return isComplete(about.group) end
    if not about.isGate and (about.added or 0) == 0 then return false end
    for _, other in ipairs(op[name].dependencies) do
        if not isComplete(other.name) then return false end
    end
    return true
end

-- Plain functions that were given to queues and groups: the operations that represent them, and how often each ran.
local plain, ran = {}, {}
local function give(call, group)
    local number = #plain + 1
    ran[number] = 0
    plain[number] = false
    local ok, o = pcall(call, function(self)
        ran[number] = ran[number] + 1
        fact("ran", "plain", number, self.attempt)
    end)
    if ok then
        plain[number] = o
        o.allowsFailure = true
        if group then table.insert(info[group].joined, o) end
    elseif type(o) == "string" or o.code ~= "misuse" then
        note("raised", "plain", "failed", tostring(o))
    elseif not group then
        note("raised", "plain", o.code, tostring(o))
    end
end

-- In a run that was cancelled each wait ends at once, so the script need not see the ends.
local function checkPlain(patience, isCancelled)
    for number, o in ipairs(plain) do
        if o then
            pcall(o.waitUntilFinished, o, patience)
            local count = ran[number]
            if o.state ~= "finished" then if not isCancelled then broken("left", "plain" .. number, o.state) end
            elseif o.outcome == "succeeded" and count ~= 1 or o.outcome ~= "succeeded" and count > 1 then
                broken("twice", "plain" .. number, o.outcome, count)
            elseif o.outcome ~= "succeeded" and not o.isCancelled then broken("body", "plain" .. number, o.outcome) end
        end
    end
end

-- Helpers run in a queue of their own, which no step cancels or suspends.
local helpers = OperationQueue { name = "helpers" }
local function aside(name, fn)
    helpers:addOperation(Operation { name = name, main = fn })
end

local waits = 0
local function wait(name, timeout, how)
    if how == "pawait" and not isComplete(name) then how = "wait" end
    waits = waits + 1
    local number = waits
    note("wait", name, number, how or "wait", timeout or "for ever", op[name].state)
    local ok, result
    if how == "pawait" then
        ok, result = pcall(pawait, op[name])
        if ok and op[name].outcome == "failed" then fact("delivered", name) end
        if ok then result = true end
    else
        ok, result = pcall(op[name].waitUntilFinished, op[name], timeout)
    end
    if not ok then result = type(result) ~= "string" and result.code or result end
    note("waited", name, number, result, op[name].state)
    return result
end

local function watch(name, number, key)
    local o = op[name]
    fact("watch", name, number, o.isReady, o.isExecuting, o.isFinished, o.isCancelled)
    o:observe(key, function(change) note("change", name, number, change.key, change.old, change.new) end)
end

local function completion(name, fn)
    op[name].completionBlock = function(o)
        if o ~= op[name] or o.state ~= "finished" then broken("completion", name, o.state) end
        note("completion", name, o.outcome)
        if fn then fn() end
    end
end

local function suspend(id)
    if rescued or queues[id].isStopped then return end
    fact("suspend", id)
    if queues[id].isDispatch then
        q[id]:suspend()
        queues[id].suspensions = (queues[id].suspensions or 0) + 1
    else
        q[id].isSuspended = true
    end
    note("suspended", id)
end

local function resume(id)
    fact("resume", id)
    if not queues[id].isDispatch then
        q[id].isSuspended = false
    elseif (queues[id].suspensions or 0) > 0 then
        queues[id].suspensions = queues[id].suspensions - 1
        q[id]:resume()
    end
    note("resumed", id)
end

local function setWidth(id, width)
    if rescued and width == 0 then return end
    local queue = queues[id]
    fact("width", id, width)
    -- Operations that have started continue; a worker may have started something that is not visible yet.
    if width >= 0 and (not queue.limit or queue.limit < 0 or width < queue.limit) then queue.isLowered = true end
    queue.limit = not queue.isLowered and width or nil
    queue.width = width
    q[id].maxConcurrentOperationCount = width
    note("widened", id)
end

local function endGate(name, how)
    fact("gate", name, how, op[name].state)
    if how == "fail" then op[name]:fail("a failure by plan") else op[name]:finish(10) end
    note("ended", name, op[name].state)
end

local function report()
    looking = true
    for _, name in ipairs(all) do
        local o = op[name]
        fact("state", name, o.state, o.outcome, o.isCancelled, o.attempt, o.error ~= nil and "error" or "quiet",
            o.isReady, o.isExecuting, o.result)
    end
    fact("reported", "job")
end
