-- The rules that the facts of a run must keep: each is a sentence of the contract (or of the manual).
local Facts = require "facts"
local Model = require "model"

local Rules = {}

Rules.sentences = {
    hang = "A run ends when nothing is left that could still run.",
    crash = "Nothing that a script does can trap, abort or corrupt the host.",
    status = "The exit status of the command: 0, 1 (an operation or the script failed), 3 (operations that can never run).",
    never = "Only operations that nothing can start or end any more are reported as such.",
    deadlock = "OpScript looks for waits that can never end only when nothing moves.",
    left = "An idle queue hands out a ready operation at once; nothing that can run is left.",
    together = "State, outcome, isExecuting and isFinished become visible together.",
    result = "`result` is nil unless the operation succeeded, and otherwise what the body returned.",
    cancelled = "An operation that was cancelled before its end ends as cancelled, whatever the body then returns.",
    cancelAtOnce = "`cancel` before the end sets `isCancelled`; the effects of a script's own calls are visible at once, also in a group.",
    afterTheEnd = "`cancel` after the end has no effect, and `isCancelled` stays as it was.",
    dependency = "An operation starts only after the operations that it depends on have finished.",
    condition = "The table of conditions: an operation runs if all its dependencies allow it, and is skipped otherwise.",
    body = "The outcome is what the body leads to.",
    failFast = "With failFast, the first failure cancels the operations that have not started by then.",
    timeout = "The attempt is cancelled when its time has run out; the outcome is failed, code timeout.",
    resources = "The amounts that executing operations hold never exceed the total.",
    width = "A positive width is never exceeded.",
    serial = "A serial queue, or a serial target, runs one body at a time.",
    serialOrder = "A serial queue is first in, first out.",
    barrier = "A barrier runs after everything before it and before everything after it.",
    priority = "Until the next wait, priority and then the order of addition decide which Lua body starts.",
    attempts = "`attempt` counts the attempts; each runs the body once.",
    completion = "The completion block is called once, when the operation has finished with any outcome.",
    order = "At an end: observers in the order of registration, the completion block, waiters in order, released Lua bodies.",
    lastChange = "Every transition is delivered: the last change has the value that the property has at the end.",
    observer = "Every transition of a property is delivered once and in order.",
    waiter = "When a wait returns, the observers and the completion block have been called.",
    waited = "A wait returns true at the end, or false if the timeout expired.",
    cleanup = "Cleanup (`<close>`, the `cancelled` hook) runs shielded and may wait.",
    hook = "The hook `cancelled` is called once, if `start` has returned.",
    twice = "The body of an operation runs once in each attempt.",
    raised = "A call that the contract allows raises no error.",
    semaphore = "Of `n` signals, at most `n` are taken.",
    map = "`map` returns the results in order, or raises the first error by position.",
    perform = "concurrentPerform returns when all rounds have ended.",
    timers = "A timer that is due earlier fires before one that is due later; equal ones in the order of scheduling.",
    group = "A DispatchGroup notifies when the bodies in it have ended.",
    block = "The works of a block operation are made anew for each attempt, with their dependencies among each other.",
    groupEnd = "A group finishes after all operations inside it.",
}

local Check = {}
Check.__index = Check

function Check:broken(rule, subject, text)
    table.insert(self.found, { rule = rule, subject = subject, text = text })
end

function Check:outcomes()
    for _, op in ipairs(self.job.ops) do
        local state = self.model:state(op.id)
        if state then
            if state.state ~= "finished" then
                self:broken("left", op.id, "it is still " .. state.state)
            else
                local allowed, attempts, why = self.model:expected(op)
                if not allowed[state.outcome] then
                    local list = {}
                    for outcome in pairs(allowed) do list[#list + 1] = outcome end
                    table.sort(list)
                    local rule = why
                    if state.outcome == "cancelled" then rule = "cancelled" end
                    self:broken(rule, op.id, ("it is %s, and not %s"):format(state.outcome, table.concat(list, " or ")))
                elseif attempts and state.outcome ~= "cancelled" and state.attempt ~= attempts and op.body.kind ~= "gate" then
                    self:broken("attempts", op.id, ("attempt is %s, and not %d"):format(state.attempt, attempts))
                end
                if state.isExecuting ~= "false" then self:broken("together", op.id, "isExecuting at the end") end
                if self.model:wasCancelled(op.id) and not state.isCancelled then
                    self:broken("cancelled", op.id, "isCancelled is false at the end")
                end
                local kind, result = op.body.kind, state.outcome == "succeeded" and state.result
                local primes = { [10] = "4", [100] = "25", [1000] = "168", [3000] = "430" }
                local wanted = (kind == "lua" or kind == "subclass" or kind == "invocation" or kind == "isolate"
                    or kind == "asynchronous") and "10" or kind == "primes" and not op.body.argument and primes[op.body.value]
                if result and wanted and result ~= wanted then
                    self:broken("result", op.id, ("its result is %s, and not %s"):format(result, wanted))
                end
                local starts = #self.facts:of("start", op.id)
                -- An operation that was started by hand executes before its body has its turn: its time may run out first.
                if op.timeout and state.outcome == "failed" and starts == state.attempt - 1 then starts = state.attempt end
                if (kind == "lua" or kind == "subclass" or kind == "invocation" or kind == "asynchronous") and starts ~= state.attempt
                    and not (state.outcome == "cancelled") then
                    self:broken("attempts", op.id, ("attempt is %s, and the body ran %d times"):format(state.attempt, starts))
                end
            end
        end
    end
end

function Check:transitions()
    local reported = self.facts:all("reported")[1]
    for _, op in ipairs(self.job.ops) do
        local state = self.model:state(op.id)
        for number in ipairs(op.watches or {}) do
            local watch
            for _, fact in ipairs(self.facts:of("watch", op.id)) do
                if fact[1] == tostring(number) then watch = fact end
            end
            for place, key in ipairs { "isReady", "isExecuting", "isFinished", "isCancelled" } do
                local now = watch and watch[place + 1]
                local list, atReport = self.facts:changes(op.id, number, key), now
                for _, fact in ipairs(list) do
                    if fact[3] ~= now or fact[4] == now then
                        self:broken("observer", op.id, ("%s changed from %s to %s, and was %s"):format(key, fact[3], fact[4], now))
                    end
                    now = fact[4]
                    if reported and fact.place < reported.place then atReport = now end
                end
                local isWatched = op.watches[number] == key or op.watches[number] == "*"
                if reported and state and isWatched then
                    local final = ({ isReady = state.isReady, isExecuting = state.isExecuting,
                        isFinished = tostring(state.state == "finished"), isCancelled = tostring(state.isCancelled) })[key]
                    if atReport ~= final then
                        self:broken("lastChange", op.id, ("%s is %s, and the last change said %s"):format(key, final, tostring(atReport)))
                    end
                end
                if key == "isFinished" and #list > 1 then self:broken("observer", op.id, "isFinished changed twice") end
            end
        end
    end
end

-- The steps at an end, in their order.
function Check:ends()
    for _, op in ipairs(self.job.ops) do
        local id, facts = op.id, self.facts
        local state = self.model:state(id)
        local completions = facts:of("completion", id)
        if #completions > 1 then self:broken("completion", id, "it was called twice") end
        if op.completion and state and state.state == "finished" and #completions == 0 then
            self:broken("completion", id, "it was not called")
        end
        if op.completion and state and state.state == "finished" and completions[1] and completions[1][1] ~= state.outcome then
            self:broken("completion", id, ("it saw %s, and the outcome is %s"):format(completions[1][1], state.outcome))
        end
        local completion, last = completions[1] and completions[1].place, nil
        for number in ipairs(op.watches or {}) do
            local change = facts:changes(id, number, "isFinished")[1]
            if change then
                if last and change.place < last then self:broken("order", id, "a later observer ran first") end
                last = change.place
                if completion and completion < last then self:broken("order", id, "the completion block ran before an observer") end
            end
        end
        local final = completion or last
        local visible = facts:visibleEnd(id)
        local waiters = {}
        for _, wait in ipairs(facts:of("wait", id)) do
            for _, waited in ipairs(facts:of("waited", id)) do
                if waited[1] == wait[1] then
                    wait.waited = waited
                    if waited[2] == "true" and wait[4] ~= "finished" and (not visible or wait.place < visible) then waiters[#waiters + 1] = wait end
                    if waited[2] == "true" and waited[3] ~= "finished" then self:broken("waited", id, "a wait returned true before the end") end
                    if waited[2] == "deadlock" then self:broken("deadlock", id, "a wait was refused as one that cannot end") end
                    if waited[2] == "false" and wait[3] == "for ever" then self:broken("waited", id, "a wait without a timeout returned false") end
                end
            end
        end
        for place, wait in ipairs(waiters) do
            if final and wait.waited.place < final then self:broken("waiter", id, "a waiter resumed before the completion block or an observer") end
            local former = waiters[place - 1]
            if former and wait.waited.place < former.waited.place then self:broken("order", id, "a later waiter resumed first") end
        end
        for _, other in ipairs(self.job.ops) do
            for _, dependency in ipairs(other.dependencies) do
                local start = dependency.on == id and facts:first("start", other.id)
                local removed = false
                for _, fact in ipairs(facts:of("remove", other.id)) do removed = removed or fact[1] == id end
                if start and not removed then
                    if final and start.place < final then
                        self:broken("order", other.id, ("it ran before the %s of '%s'"):format(completion and start.place < completion and "completion block" or "observers", id))
                    end
                    for _, wait in ipairs(waiters) do
                        if wait.place < start.place and wait.waited.place > start.place then
                            self:broken("order", other.id, ("it ran before a waiter of '%s' resumed"):format(id))
                        end
                    end
                end
            end
        end
        for place, start in ipairs(facts:of("start", id)) do
            if start[1] ~= tostring(place) then self:broken("attempts", id, ("start %d says attempt %s"):format(place, start[1])) end
        end
        local cancel = self.model:wasCancelled(id)
        local start = facts:first("start", id)
        if cancel and start and start.place > cancel.place and (cancel[1] == "pending" or cancel[1] == "ready") then
            self:broken("cancelled", id, "it started after it was cancelled")
        end
        if #facts:of("hook", id) > 1 then self:broken("hook", id, "it was called twice") end
    end
end

function Check:rest()
    local facts, job = self.facts, self.job
    for _, fact in ipairs(facts:all("broken")) do
        self:broken(fact[1], fact.subject, table.concat(fact, " ", 2))
    end
    for _, kind in ipairs { { "closing", "closed" }, { "hook", "hooked" } } do
        for _, fact in ipairs(facts:all(kind[2])) do
            if fact[1] ~= "true" then self:broken("cleanup", fact.subject, ("%s was interrupted: %s"):format(kind[1], fact[2])) end
        end
    end
    for _, fact in ipairs(facts:all("raised")) do
        local isByAbort = job.abort and fact[1] == "cancelled"
        local isFailure = fact.subject == "sync"
        if fact[1] == "deadlock" then self:broken("deadlock", fact.subject, fact.text)
        elseif not isByAbort and not isFailure then self:broken("raised", fact.subject, fact.text) end
    end
    local isQuiet = true
    for _, op in ipairs(job.ops) do
        if op.queue == (job.map and job.map.queue) and (op.body.failures or 0) > 0 or op.body.kind == "missing" then isQuiet = false end
    end
    local queue = job.map and self.model.queues[job.map.queue]
    local wasCancelled = job.abort or queue and queue.failFast
    for _, fact in ipairs(facts:all("cancelled")) do wasCancelled = wasCancelled or queue and fact.subject == queue.id end
    for _, fact in ipairs(facts:all("map")) do
        local map = job.map
        local isFailing = map.failing > 0 and map.failing <= map.count
        if not wasCancelled and (fact[1] == "true") == isFailing then self:broken("map", "map", fact.text) end
        if not wasCancelled and not isFailing and fact[2] ~= tostring(map.count) then self:broken("map", "map", fact.text) end
    end
    for _, fact in ipairs(facts:all("perform")) do
        if not job.abort and (fact[1] ~= "true" or fact[2] ~= tostring(job.perform.count)) then self:broken("perform", "perform", fact.text) end
    end
    for _, kind in ipairs { "notified", "groupWaited" } do
        for _, fact in ipairs(facts:all(kind)) do
            local open = kind == "notified" and fact[1] or fact[2]
            if open ~= "" and not job.abort then self:broken("group", fact.subject, kind .. " while these are unfinished: " .. tostring(open)) end
        end
    end
    local last
    for _, fact in ipairs(facts:all("fire")) do
        local due = tonumber(fact[1])
        local number = tonumber(fact.subject:match "%d+")
        -- In real time, any pause between the lines that schedule two timers may change their order.
        if self.isVirtual and last and (due < last.due or due == last.due and number < last.number) then
            self:broken("timers", fact.subject, ("it fired after one that is due at %g"):format(last.due))
        end
        last = { due = due, number = number }
    end
    local previous = 0
    for _, fact in ipairs(facts:all("tick")) do
        if tonumber(fact[1]) <= previous then self:broken("timers", "tick", fact.text) end
        previous = tonumber(fact[1])
    end
end

-- The violations in the lines of a run: a list of { rule, subject, text }.
function Rules.check(job, lines, isVirtual)
    local facts = Facts.parse(lines)
    local self = setmetatable({ job = job, facts = facts, model = Model.new(job, facts), found = {}, isVirtual = isVirtual }, Check)
    if not job.abort then self:outcomes() end
    self:transitions()
    self:ends()
    self:rest()
    return self.found, self
end

-- The same with the exit of the program: `run` is { status, lines, errors, isKilled }.
function Rules.checkRun(job, run, isVirtual)
    local found, self = Rules.check(job, run.lines, isVirtual)
    if run.isKilled then
        self:broken("hang", "job", "the program was killed after its time had run out")
        return found
    end
    if run.status > 128 or run.errors:find("Fatal error", 1, true) then
        self:broken("crash", "job", "status " .. run.status)
        return found
    end
    local statuses, list = self.model:statuses(), {}
    if #self.facts:all("reported") == 0 and not job.abort then self:broken("left", "job", "the script did not reach its end") end
    if not statuses[run.status] then
        for status in pairs(statuses) do list[#list + 1] = status end
        self:broken("status", "job", ("the status is %d, and not %s"):format(run.status, table.concat(list, " or ")))
    end
    local expected = {}
    if job.never then
        for number = 1, job.never.dependents do expected["victim" .. number] = true end
        expected[job.never.kind == "unadded" and "unadded" or "stuck"] = true
    end
    for line in run.errors:gmatch("[^\n]+") do
        local name = line:match("^opscript: '([^']*)'.* can never run") or line:match("^opscript: '([^']*)'.* was made but never")
            or line:match("^opscript: '([^']*)'.*nothing is left")
        if name and not expected[name] and not job.abort then self:broken("never", name, line) end
    end
    return found
end

-- For a script that checks itself: raises an error if a rule is broken.
function Rules.assert(job, lines)
    local found = Rules.check(job, lines, true)
    if #found > 0 then
        error(("rule %s, %s: %s"):format(found[1].rule, found[1].subject, found[1].text), 0)
    end
end

return Rules
