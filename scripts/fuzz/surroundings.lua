-- The text of everything around the operations: helpers, other features, and the last steps.
local Writer = require "writer"

local literal = Writer.literal

-- Everything that a job has beside its operations.
function Writer:extras()
    local job = self.job
    if job.map then
        local map, list = job.map, {}
        for i = 1, map.count do list[i] = i end
        local failing = map.failing > 0 and map.failing <= map.count and map.failing or 0
        self:open("aside('mapper', function()")
        self:open("local ok, result = pcall(q.%s.map, q.%s, %s, function(i)", map.queue, map.queue, literal(list))
        if map.kind == "value" then self:line("if i == %d then error('item ' .. i, 0) end return i", failing)
        elseif map.kind == "primes" then
            self:line("local o = i == %d and work.file.read('no such file') or work.compute.primes(10 * i)", failing)
            self:line("o.name, o.allowsFailure = 'item', true")
            self:line("return o")
        else
            self:line("return Operation { name = 'item', allowsFailure = true, main = function() sleep(0.001) if i == %d then error('item ' .. i, 0) end return i end }", failing)
        end
        self:close("end%s)", map.limit and (", { limit = %d }"):format(map.limit) or "")
        self:line("note('map', 'map', ok, ok and #result or type(result) ~= 'string' and result.code or tostring(result))")
        self:close("end)")
    end
    if job.plain then
        local calls = { addOperation = "q.%s:addOperation(fn)", async = "q.%s:async(fn)", barrier = "q.%s:addBarrierBlock(fn)" }
        self:line("for _ = 1, %d do give(function(fn) return %s end) end", job.plain.count, calls[job.plain.how]:format(job.plain.queue))
    end
    if job.perform then
        self:open("aside('performer', function()")
        self:line("local count = 0")
        self:line("local ok = pcall(DispatchQueue.concurrentPerform, %d, function(i) try('sleep', sleep, %g) count = count + 1 end)", job.perform.count, job.perform.time)
        self:line("note('perform', 'perform', ok, count)")
        self:close("end)")
    end
    if job.ticks then
        self:line("Timer.scheduledTimer { interval = %g, repeats = true, block = function(timer)", job.ticks.interval)
        self:line("    note('tick', 'timer', timer.fireCount)")
        self:line("    if timer.fireCount == %d then timer:invalidate() end", job.ticks.count)
        self:line("end }")
    end
end

function Writer:never()
    local never = self.job.never
    if not never then return end
    self:open("do")
    if never.kind == "unadded" then self:line("local stuck = Operation { name = 'unadded', main = function() end }")
    else
        self:line("local queue = OperationQueue { name = 'never', %s }", never.kind == "width" and "maxConcurrentOperationCount = 0" or "isSuspended = true")
        self:line("local stuck = queue:addOperation(Operation { name = 'stuck', main = function() end })")
    end
    for number = 1, never.dependents do
        self:line("local o = Operation { name = 'victim%d', main = function() note('ran', 'victim%d') end, dependencies = { stuck } }", number, number)
        self:line("helpers:addOperation(o)")
    end
    self:close("end")
end

-- Functions that only some jobs need.
function Writer:helpers()
    local job, text = self.job, literal(self.job)
    if job.semaphore and text:find('kind = "section"', 1, true) then
        self:line("local inside, signals = 0, DispatchSemaphore(%d)", job.semaphore)
        self:open("local function section(time)")
        self:line("local ok, result = pcall(signals.wait, signals, 0.02)")
        self:line("if not ok or not result then return end")
        self:line("inside = inside + 1")
        self:line("if inside > %d then broken('semaphore', 'semaphore', inside) end", job.semaphore)
        self:line("try('sleep', sleep, time)")
        self:line("inside = inside - 1")
        self:line("signals:signal()")
        self:close("end")
    end
    if text:find("close = ", 1, true) then
        self:open("local function closing(name, time)")
        self:open("return setmetatable({}, { __close = function()")
        self:line("fact('closing', name)")
        self:line("local ok, problem = pcall(sleep, time)")
        self:line("fact('closed', name, ok, ok or problem.code)")
        self:close("end })")
        self:close("end")
    end
    if text:find('hook = "waits"', 1, true) then
        self:open("local function hook(name, time)")
        self:line("fact('hook', name)")
        self:line("local ok, problem = pcall(sleep, time)")
        self:line("fact('hooked', name, ok, ok or problem.code)")
        self:close("end")
    end
end

-- The last steps: everything that is left is added, resumed and ended; then the script waits.
function Writer:rescue(patience)
    local job = self.job
    self:line("-- Everything that is left can end from here on.")
    self:line("try('sleep', sleep, 0.03)")
    self:line("rescued = true")
    for _, queue in ipairs(job.queues) do
        if queue.kind == "operation" then
            self:line("if q.%s.isSuspended then resume '%s' end", queue.id, queue.id)
            self:line("if queues.%s.width == 0 then setWidth('%s', 1) end", queue.id, queue.id)
        elseif queue.kind == "serial" or queue.kind == "concurrent" then
            self:line("while (queues.%s.suspensions or 0) > 0 do resume '%s' end", queue.id, queue.id)
        end
    end
    for _, op in ipairs(job.ops) do
        if op.how == "none" then self:line("if op.%s.state ~= 'finished' then endGate('%s', 'finish') end", op.id, op.id)
        elseif op.how ~= "member" then
            self:line("if not info.%s.added then add({ '%s' }, function() %s end) end", op.id, op.id, self:addition(op))
        end
    end
    self:line("fact('rescued', 'job')")
    local list = {}
    for _, op in ipairs(job.ops) do list[#list + 1] = op.id end
    local final = job.final
    if final == "report" then
        self:open("local reporter = Operation { name = 'reporter', main = function()")
        self:line("checkPlain(%d, %s)", patience, job.abort ~= nil)
        self:line("report()")
        self:close("end }")
        self:line("for _, name in ipairs(all) do reporter:addDependency(op[name], 'finished') end")
        self:line("helpers:addOperation(reporter)")
        return
    end
    if final == "queues" then
        for _, queue in ipairs(job.queues) do
            if queue.kind == "operation" then
                self:line("note('drained', '%s', try('drain', q.%s.waitUntilAllOperationsAreFinished, q.%s))", queue.id, queue.id, queue.id)
            end
        end
    end
    self:line("for _, name in ipairs(all) do wait(name%s) end", final == "bounded" and ", " .. patience or "")
    self:line("checkPlain(%d, %s)", patience, job.abort ~= nil)
    self:line("report()")
end
