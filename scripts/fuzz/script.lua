-- The text of the script that performs a job and prints its facts.
local Script = {}

local folder = arg[0]:match("^(.*)/") or "."
Script.folder = folder

local function read(name)
    local file = assert(io.open(folder .. "/" .. name))
    local text = file:read("a")
    file:close()
    return text
end

-- A literal; tables have their keys in order, so that a job gives the same text each time.
local function literal(value)
    if type(value) == "string" then return ("%q"):format(value) end
    if type(value) ~= "table" then return tostring(value) end
    local keys, parts = {}, {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b)
        if type(a) == type(b) then return a < b end
        return type(a) == "number"
    end)
    for _, key in ipairs(keys) do
        local text = literal(value[key])
        if type(key) == "number" then parts[#parts + 1] = text
        else parts[#parts + 1] = key .. " = " .. text end
    end
    return "{ " .. table.concat(parts, ", ") .. " }"
end
Script.literal = literal

local Writer = {}
Writer.__index = Writer

function Writer:line(text, ...)
    if select("#", ...) > 0 then text = text:format(...) end
    self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. text
end

function Writer:open(...) self:line(...) self.depth = self.depth + 1 end
function Writer:close(...) self.depth = self.depth - 1 self:line(...) end

-- The call that adds an operation, as text.
function Writer:addition(op)
    local queue, id = "q." .. (op.queue or ""), op.id
    if op.how == "add" then return ("%s:addOperation(op.%s)"):format(queue, id) end
    if op.how == "after" then return ("%s:addOperation(op.%s, { after = %g })"):format(queue, id, op.time) end
    if op.how == "barrier" then return ("%s:addBarrierBlock(op.%s)"):format(queue, id) end
    if op.how == "item" then
        return ("item.%s = DispatchWorkItem(op.%s) %s:async(item.%s)"):format(id, id, queue, id)
    end
    if op.how == "sync" then return ("aside('sync', function() try('sync', %s.sync, %s, op.%s) end)"):format(queue, queue, id) end
    if op.how == "start" then return ("aside('start', function() try('start', op.%s.start, op.%s) end)"):format(id, id) end
    local options = (op.isBarrier and ", flags = 'barrier'" or "")
        .. (op.dispatchGroup and ", group = group." .. op.dispatchGroup or "")
    local body = options == "" and "op." .. id or ("{ op.%s%s }"):format(id, options)
    if op.how == "asyncAfter" then return ("%s:asyncAfter(%g, %s)"):format(queue, op.time, body) end
    return ("%s:async(%s)"):format(queue, body)
end

function Writer:step(step)
    local kind = step.kind
    if kind == "nap" then self:line("try('nap', sleep, 0)")
    elseif kind == "sleep" then self:line("try('sleep', sleep, %g)", step.time)
    elseif kind == "spin" then self:line("for _ = 1, 300000 do end")
    elseif kind == "cancel" then self:line("cancel '%s'", step.op)
    elseif kind == "cancelAll" then
        self:line("cancelAll('%s', membersIn(q.%s), function() q.%s:cancelAllOperations() end)", step.queue, step.queue, step.queue)
    elseif kind == "wait" then self:line("wait('%s', %g)", step.op, step.timeout)
    elseif kind == "priority" then self:line("op.%s.queuePriority = '%s'", step.op, step.value)
    elseif kind == "remove" then self:line("remove('%s', '%s')", step.op, step.on)
    elseif kind == "inline" then self:line("try('inline', pawait, work.%s(%g))", step.work, step.value)
    elseif kind == "section" then self:line("section(%g)", step.time)
    elseif kind == "suspend" or kind == "resume" then self:line("%s '%s'", kind, step.queue)
    elseif kind == "width" then self:line("setWidth('%s', %d)", step.queue, step.value)
    elseif kind == "add" then
        self:line("add({ '%s' }, function() %s end)", step.op, self:addition(self.byName[step.op]))
    elseif kind == "addAll" then
        local names, ops = {}, {}
        for place, id in ipairs(step.ops) do names[place], ops[place] = "'" .. id .. "'", "op." .. id end
        self:line("add({ %s }, function() q.%s:addOperations { %s } end)", table.concat(names, ", "), step.queue,
            table.concat(ops, ", "))
    else error("no such step: " .. kind) end
end

function Writer:steps(steps)
    for _, step in ipairs(steps) do self:step(step) end
end

-- A function for `body(…)`: the steps of a Lua body.
function Writer:bodyFunction(op)
    local body = op.body
    if (#(body.steps or {}) == 0) and not body.close and not body.isEndless then return "nil" end
    local inner = setmetatable({ lines = {}, depth = 2, byName = self.byName }, Writer)
    if body.close then
        inner:line("local guard <close> = closing('%s', %g)", op.id, body.close)
    end
    inner:steps(body.steps or {})
    if body.isEndless then inner:line("sleep(100)") end
    return "function(self)\n" .. table.concat(inner.lines, "\n") .. "\n    end"
end

-- The expression that makes an operation, without its properties.
function Writer:make(op)
    local body, id = op.body, op.id
    local kind = body.kind
    local main = ("body('%s', %d, %s)"):format(id, body.failures or 0, kind ~= "asynchronous" and self:bodyFunction(op) or "nil")
    if kind == "lua" then return ("Operation { main = %s }"):format(main) end
    if kind == "primes" then return ("work.compute.primes(%s)"):format(body.argument and "op." .. body.argument or body.value) end
    if kind == "sleep" then return ("work.sleep(%g)"):format(body.value) end
    if kind == "block" then return ("work.block(%g)"):format(body.value) end
    if kind == "missing" then return "work.file.read('no such file')" end
    if kind == "isolate" then
        return body.isFailing and "isolate(function() error('a failure by plan', 0) end)()" or "isolate(function() return 10 end)()"
    end
    if kind == "gate" then return ("Gate '%s'"):format(id) end
    if kind == "invocation" then return ("InvocationOperation({ run = %s }, 'run')"):format(main) end
    if kind == "subclass" then
        self:line("local class = Operation:subclass 'Class'")
        self:line("class.main = %s", main)
        return "class {}"
    end
    if kind == "group" then
        local members = {}
        for _, other in ipairs(self.job.ops) do
            if other.group == id then members[#members + 1] = "op." .. other.id end
        end
        if body.width then members[#members + 1] = "maxConcurrentOperationCount = " .. body.width end
        return ("GroupOperation { %s }"):format(table.concat(members, ", "))
    end
    if kind == "blocks" then
        local blocks = {}
        for place, block in ipairs(body.blocks) do
            if block == "sleep" then blocks[place] = "work.sleep(0.001)"
            elseif block == "primes" then blocks[place] = "work.compute.primes(100)"
            else
                blocks[place] = ("function(self) fact('block', '%s', %d, self.attempt) %s return %d end"):format(id, place,
                    place == body.firstLua and ("if self.attempt <= %d then error('a failure by plan', 0) end"):format(body.failures) or "", place)
            end
        end
        return ("BlockOperation(%s)"):format(table.concat(blocks, ", "))
    end
    if kind == "asynchronous" then
        local finish = body.how == "fail" and "self:fail('a failure by plan')" or "self:finish(10)"
        local inner = setmetatable({ lines = {}, depth = 2, byName = self.byName }, Writer)
        inner:line("self = op.%s", id)
        inner:line("note('start', '%s', self.attempt)", id)
        inner:steps(body.steps or {})
        if not body.isEndless then
            if body.time < 0 then inner:line(finish)
            else inner:line("Timer.scheduledTimer { interval = %g, block = function() %s end }", body.time, finish) end
        end
        local start = "function(self)\n" .. table.concat(inner.lines, "\n") .. "\n    end"
        local hook
        if body.hook == "finish" then
            hook = ("function(self) note('hook', '%s') self:finish() end"):format(id)
        elseif body.hook == "waits" then
            hook = ("function(self) hook('%s', 0.003) self:finish() end"):format(id)
        end
        if body.isClass then
            self:line("local class = Operation:subclass 'Class'")
            self:line("class.start = %s", start)
            if hook then self:line("class.cancelled = %s", hook) end
            return "class {}"
        end
        return ("Operation { start = %s%s }"):format(start, hook and ",\n    cancelled = " .. hook or "")
    end
    error("no such body: " .. kind)
end

-- The priority as a number, if this alone decides when the Lua body starts among those of its queue.
function Writer:rank(op)
    local queue = self.queues[op.queue or ""]
    local isPlain = op.how == "add" and #op.dependencies == 0 and not op.retry and not op.resources
        and (op.body.kind == "lua" or op.body.kind == "subclass" or op.body.kind == "invocation")
    if not isPlain or not queue or queue.isOrdered or queue.kind ~= "operation" or self.changesPriorities then return nil end
    return ({ veryLow = -8, low = -4, normal = 0, high = 4, veryHigh = 8 })[op.priority or "normal"]
end

function Writer:operation(op)
    local id = op.id
    self:open("do")
    if op.body.kind == "blocks" then
        op.body.firstLua = nil
        for place, block in ipairs(op.body.blocks) do
            if block == "lua" then op.body.firstLua = op.body.firstLua or place end
        end
    end
    local expression = self:make(op)
    self:line("local o = %s", expression)
    self:line("o.name, op.%s, all[#all + 1] = '%s', o, '%s'", id, id, id)
    for _, dependency in ipairs(op.dependencies) do
        if not dependency.isArgument then
            self:line("o:addDependency(op.%s, '%s')", dependency.on, dependency.when)
        end
    end
    if op.priority then self:line("o.queuePriority = '%s'", op.priority) end
    if op.class then self:line("o.qualityOfService = '%s'", op.class) end
    if op.threadPriority then self:line("o.threadPriority = %g", op.threadPriority) end
    if op.retry then self:line("o.retry = %s", literal(op.retry)) end
    if op.resources then self:line("o.resources = %s", literal(op.resources)) end
    if op.timeout then self:line("o.timeout = %g", op.timeout) end
    if op.allowsFailure then self:line("o.allowsFailure = true") end
    local about = { queue = op.queue, isBarrier = (op.how == "barrier" or op.isBarrier) or nil, isManual = (op.how == "start" or nil),
        isGate = (op.body.kind == "gate") or nil, group = op.group, rank = self:rank(op), resources = op.resources,
        entersLater = (op.how == "asyncAfter" or op.how == "sync") or nil }
    if op.body.kind == "group" then
        about.members = {}
        for _, other in ipairs(self.job.ops) do
            if other.group == id then table.insert(about.members, other.id) end
        end
    end
    self:line("info.%s = %s", id, literal(about))
    for number, key in ipairs(op.watches or {}) do self:line("watch('%s', %d, '%s')", id, number, key) end
    if op.completion then
        if #op.completion.steps == 0 then self:line("completion '%s'", id)
        else
            self:open("completion('%s', function()", id)
            self:steps(op.completion.steps)
            self:close("end)")
        end
    end
    self:close("end")
end

function Writer:queue(queue)
    local id, kind = queue.id, queue.kind
    local expression
    if kind == "default" then expression = "OperationQueue.default"
    elseif kind == "main" then expression = "OperationQueue.main"
    elseif kind == "global" then expression = ("DispatchQueue.global '%s'"):format(queue.class)
    elseif kind == "operation" then
        expression = ("OperationQueue { name = '%s'%s%s%s%s }"):format(id,
            queue.width and ", maxConcurrentOperationCount = " .. queue.width or "", queue.isSuspended and ", isSuspended = true" or "",
            queue.class and (", qualityOfService = '%s'"):format(queue.class) or "", queue.failFast and ", failFast = true" or "")
    else
        expression = ("DispatchQueue { label = '%s'%s%s%s }"):format(id, kind == "concurrent" and ", attributes = 'concurrent'" or "",
            queue.class and (", qos = '%s'"):format(queue.class) or "", queue.target and ", target = q." .. queue.target or "")
    end
    self:line("q.%s = %s", id, expression)
    local isDispatch = kind == "serial" or kind == "concurrent" or nil
    local limit = kind == "serial" and 1 or kind == "main" and 1 or queue.width
    self:line("queues.%s = %s", id, literal { id = id, kind = kind, limit = limit, width = queue.width, isDispatch = isDispatch, target = queue.target,
        isOrdered = (queue.isOrdered and kind ~= "main") or nil, entered = {}, suspensions = isDispatch and queue.isSuspended and 1 or nil })
    if isDispatch and queue.isSuspended then self:line("q.%s:suspend()", id) end
end

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
    self:line("report()")
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

-- The script of a job. `options`: `patience`, the seconds of the last waits; `checks`: the path of the rules, for a script
-- that checks itself.
function Script.text(job, options)
    local self = setmetatable({ lines = {}, depth = 0, job = job, byName = {} }, Writer)
    for _, op in ipairs(job.ops) do self.byName[op.id] = op end
    self.queues = {}
    for _, queue in ipairs(job.queues) do self.queues[queue.id] = queue end
    self.changesPriorities = literal(job):find('kind = "priority"', 1, true) ~= nil
    local function line(...) self:line(...) end
    line("")
    line("-- The job of seed %d.", job.seed)
    line("looks = %s", tostring(job.isLooking))
    for _, resource in ipairs(literal(job):find("resources = { r1", 1, true) and job.resources or {}) do
        line("OperationQueue.setResource('%s', %d) totals.%s = %d", resource.name, resource.total, resource.name, resource.total)
    end
    for _, name in ipairs(job.dispatchGroups or {}) do line("group.%s = DispatchGroup()", name) end
    self:helpers()
    for _, queue in ipairs(job.queues) do self:queue(queue) end
    -- A group is made from its members.
    local order, groups = {}, {}
    for _, op in ipairs(job.ops) do
        if op.body.kind == "group" then groups[#groups + 1] = op
        else
            if op.group then
                order[#order + 1] = op
            else
                for _, waiting in ipairs(groups) do order[#order + 1] = waiting end
                groups = {}
                order[#order + 1] = op
            end
        end
        if op.body.kind == "group" and #groups > 1 then
            order[#order + 1] = table.remove(groups, 1)
        end
    end
    for _, waiting in ipairs(groups) do order[#order + 1] = waiting end
    for _, op in ipairs(order) do self:operation(op) end
    for number, timer in ipairs(job.timers) do
        self:open("Timer.scheduledTimer { interval = %g, block = function()", timer.at)
        line("note('fire', 't%d', %g)", number, timer.at)
        self:steps(timer.steps)
        self:close("end }")
    end
    for _, op in ipairs(job.ops) do
        if op.body.kind == "gate" and op.body.time then
            line("Timer.scheduledTimer { interval = %g, block = function() endGate('%s', '%s') end }", op.body.time, op.id, op.body.how)
        end
    end
    if job.abort then line("Timer.scheduledTimer { interval = %g, block = function() fact('abort', 'job') error('the run ends by plan', 0) end }", job.abort) end
    self:never()
    self:open("local function main()")
    for _, waiter in ipairs(job.waiters) do
        line("aside('waiter', function() wait('%s', nil, '%s') end)", waiter.op, waiter.how)
    end
    self:extras()
    self:steps(job.steps)
    if job.any then
        line("aside('anyone', function() local list = {} for _, name in ipairs(all) do if isComplete(name) then list[#list + 1] = op[name] end end")
        line("    if #list > 0 then local o, place = await.any(list) note('any', o.name, o == list[place], o.state) end end)")
    end
    for _, name in ipairs(job.dispatchGroups or {}) do
        local members = {}
        for _, op in ipairs(job.ops) do
            if op.dispatchGroup == name then members[#members + 1] = op.id end
        end
        self:open("do")
        line("local members = {}")
        line("for _, name in ipairs(%s) do if info[name].added then members[#members + 1] = name end end", literal(members))
        line("group.%s:notify(DispatchQueue.global(), function() note('notified', '%s', unfinished(members)) end)", name, name)
        line("aside('grouped', function() local ok, result = pcall(group.%s.wait, group.%s) note('groupWaited', '%s', ok and result, unfinished(members)) end)", name, name, name)
        self:close("end")
    end
    self:rescue(options.patience or 20)
    self:close("end")
    if job.abort then line("try('main', main)") else line("main()") end
    if options.checks then
        line("package.path = %q .. '/?.lua;' .. package.path", options.checks)
        line("require 'rules'.assert(%s, lines)", literal(job))
    end
    return read("prelude.lua") .. table.concat(self.lines, "\n") .. "\n"
end

return Script
