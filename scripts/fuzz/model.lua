-- The outcomes that the contract allows for each operation of a job. The model takes the facts that only chance decides
-- (which cancellation came before the end, which dependency was removed in time) from the run, and computes everything
-- else from the data of the job.
local Model = {}

local function set(...)
    local result = {}
    for _, value in ipairs { ... } do result[value] = true end
    return result
end

local luaBodies = set("lua", "subclass", "invocation", "asynchronous")

-- "run", "failed" (an error prevents it) or "quiet": the table of conditions.
local function verdict(when, outcome, isQuiet)
    local isFailure = outcome == "failed" or outcome == "skipped" and not isQuiet
    if when == "finished" then return "run" end
    if when == "failed" then return isFailure and "run" or "quiet" end
    if when == "succeeded" then return outcome == "succeeded" and "run" or "failed" end
    return isFailure and "failed" or "run"
end

function Model.new(job, facts)
    local self = setmetatable({ job = job, facts = facts, byName = {}, queues = {} }, { __index = Model })
    for _, op in ipairs(job.ops) do self.byName[op.id] = op end
    for _, queue in ipairs(job.queues) do self.queues[queue.id] = queue end
    return self
end

function Model:state(id)
    local fact = self.facts:first("state", id)
    -- The main chunk of a run that is cancelled reports before the end.
    if not fact or self.job.abort then return nil end
    return { state = fact[1], outcome = fact[2], isCancelled = fact[3] == "true", attempt = tonumber(fact[4]),
        isQuiet = fact[5] == "quiet", isReady = fact[6], isExecuting = fact[7], result = fact[8] }
end

-- The outcomes to which the body alone leads, and the number of attempts.
function Model:natural(op)
    local body = op.body
    local attempts = op.retry and op.retry.attempts or 1
    local failures = 0
    if body.kind == "missing" or body.isFailing or body.isEndless then failures = 99
    elseif body.kind == "asynchronous" then failures = body.how == "fail" and 99 or 0
    elseif body.kind == "blocks" then
        for _, block in ipairs(body.blocks) do
            if block == "lua" then failures = body.failures end
        end
    else
        failures = body.failures or 0
    end
    if body.kind == "gate" then
        for _, fact in ipairs(self.facts:of("gate", op.id)) do
            if fact[2] ~= "finished" then return set(fact[1] == "fail" and "failed" or "succeeded") end
        end
        return set("succeeded", "failed")
    end
    if body.kind == "group" then
        local result = "succeeded"
        for _, other in ipairs(self.job.ops) do
            if other.group == op.id then
                local state = self:state(other.id)
                if not state then return set("succeeded", "failed") end
                if state.outcome == "failed" and not other.allowsFailure then return set("failed") end
                if state.outcome == "failed" or state.outcome == "skipped" then result = nil end
            end
        end
        return result and set(result) or set("succeeded", "failed")
    end
    if failures < attempts then return set("succeeded"), failures + 1 end
    return set("failed"), attempts
end

-- The verdicts of the dependencies: a set of "run", "failed" and "quiet".
function Model:verdicts(op)
    local surely, perhaps = {}, {}
    for _, dependency in ipairs(op.dependencies) do
        local state = self:state(dependency.on)
        if not state then return set("run", "failed", "quiet") end
        local removal
        for _, fact in ipairs(self.facts:of("remove", op.id)) do
            if fact[1] == dependency.on and not removal then
                if fact[3] == "open" and fact[2] == "pending" then removal = "surely"
                elseif fact[2] ~= "executing" and fact[2] ~= "finished" then removal = "perhaps" end
            end
        end
        local one = verdict(dependency.when, state.outcome, state.isQuiet)
        -- A body outside Lua, or a group, may have begun after an end that the script had not seen when it cancelled.
        if self:wasCancelled(dependency.on) and not luaBodies[op.body.kind] then removal = removal or "perhaps" end
        -- An implied condition cannot be weakened, and a plain dependency may be one as well.
        if removal ~= "surely" then table.insert(removal and perhaps or surely, one) end
    end
    local function combine(list)
        local result = "run"
        for _, one in ipairs(list) do
            if one == "failed" or one == "quiet" and result == "run" then result = one end
        end
        return result
    end
    local result = set(combine(surely))
    if #perhaps > 0 then
        for _, one in ipairs(perhaps) do surely[#surely + 1] = one end
        result[combine(surely)] = true
        result["run"] = true
    end
    return result
end

-- Whether a cancellation by the script came before the visible end.
function Model:wasCancelled(id)
    for _, fact in ipairs(self.facts:of("cancel", id)) do
        if fact[1] ~= "finished" then return fact end
    end
end

-- The effect of `failFast` on an operation: "must", "may" or nil.
function Model:failFast(op)
    local queue = self.queues[op.queue or ""]
    if not queue or not queue.failFast then return nil end
    local place, isFailing, isKnown, mayHaveFailed
    for _, other in ipairs(self.job.ops) do
        local state = self:state(other.id)
        if other.queue == op.queue and state and state.outcome == "failed" and not other.allowsFailure and other.id ~= op.id then
            local one = self.facts:visibleEnd(other.id)
            isKnown = (isKnown or not isFailing) and one ~= nil
            isFailing = true
            if one and (not place or one < place) then place = one end
        end
        -- It may have failed on another thread before the script, which had not seen that yet, cancelled it.
        if other.queue == op.queue and other.id ~= op.id and not luaBodies[other.body.kind] and self:wasCancelled(other.id) then
            mayHaveFailed = true
        end
    end
    if self.job.map then return "may" end
    if not isFailing then return mayHaveFailed and "may" or nil end
    if not isKnown or not luaBodies[op.body.kind] or op.retry then return "may" end
    local start, addition = self.facts:first("start", op.id), self.facts:first("added", op.id)
    if start and start.place < place then return nil end
    if not addition or addition.place > place then return "may" end
    -- A failure is visible before its completion block is called, and it cancels nothing that is added in between.
    local beforeIt = self.facts:first("add", op.id)
    if beforeIt and beforeIt[2] == "true" then return "may" end
    local over = self.facts:visibleEnd(op.id)
    if over and over < place then return "may" end
    for _, dependency in ipairs(op.dependencies) do
        local state = self:state(dependency.on)
        if not state or state.outcome ~= "succeeded" then return "may" end
    end
    return start and "must" or "may"
end

-- The allowed outcomes of an operation, its number of attempts (nil: not determined), and the sentence that decides.
function Model:expected(op)
    if self:wasCancelled(op.id) then
        if op.body.isEndless then return set("cancelled", "failed"), nil, "cancelled" end
        return set("cancelled"), nil, "cancelled"
    end
    local allowed, attempts, why = {}, nil, "body"
    local group = op.group and self:state(op.group)
    if op.group and (not group or group.outcome == "skipped" or group.outcome == "cancelled" and not self:wasCancelled(op.group)) then
        return set("succeeded", "failed", "cancelled", "skipped"), nil, "group"
    end
    local verdicts = self:verdicts(op)
    if verdicts.run then
        local outcomes
        outcomes, attempts = self:natural(op)
        for outcome in pairs(outcomes) do allowed[outcome] = true end
    end
    if verdicts.failed or verdicts.quiet then
        if verdicts.run then attempts = nil else attempts, why = 0, "condition" end
        allowed.skipped = true
    end
    local fast = self:failFast(op)
    if fast == "must" then return set("cancelled"), nil, "failFast" end
    if fast == "may" then allowed.cancelled, attempts = true, nil end
    return allowed, attempts, why
end

-- Whether the failure of an operation may have been delivered to the script, with it or with a group around it.
function Model:mayBeHandled(op)
    if self.facts:first("delivered", op.id) or op.how == "sync" then return true end
    local group = op.group and self.byName[op.group]
    return group and (group.allowsFailure or self:mayBeHandled(group))
end

-- The exit statuses that the run may have.
function Model:statuses()
    local isFailed, isOpen = false, false
    if self.job.abort then return set(1) end
    for _, op in ipairs(self.job.ops) do
        local state = self:state(op.id)
        if not state then return set(0, 1, 3) end
        if state.outcome == "failed" and not op.allowsFailure then
            if self.job.any or self:mayBeHandled(op) then isOpen = true else isFailed = true end
        end
    end
    local never = self.job.never
    local otherwise = never and (never.kind ~= "unadded" or never.dependents > 0) and 3 or 0
    if isFailed then return set(1) end
    return isOpen and set(otherwise, 1) or set(otherwise)
end

return Model
