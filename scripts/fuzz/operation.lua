-- The text that makes an operation.
local Writer = require "writer"

local literal = Writer.literal

-- A function for `body(…)`: the steps of a Lua body.
function Writer:bodyFunction(op)
    local body = op.body
    if (#(body.steps or {}) == 0) and not body.close and not body.isEndless then return "nil" end
    local inner = self:inner()
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
            elseif block == "after" then
                blocks[place] = "b" .. place
                if blocks[place - 1] ~= "b" .. place - 1 then self:line("local b%d = %s", place - 1, blocks[place - 1]) end
                blocks[place - 1] = "b" .. place - 1
                self:line("local b%d = Operation(function()", place)
                self:line("    if not op.%s.executionBlocks[%d].isFinished then broken('block', '%s', %d) end", id, place - 1, id, place)
                self:line("    return %d", place)
                self:line("end)")
                self:line("b%d:addDependency(b%d, 'finished')", place, place - 1)
            else
                blocks[place] = ("function(self) fact('block', '%s', %d, self.attempt) %s return %d end"):format(id, place,
                    place == body.firstLua and ("if self.attempt <= %d then error('a failure by plan', 0) end"):format(body.failures) or "", place)
            end
        end
        return ("BlockOperation(%s)"):format(table.concat(blocks, ", "))
    end
    if kind == "asynchronous" then
        local finish = body.how == "fail" and "self:fail('a failure by plan')" or "self:finish(10)"
        local inner = self:inner()
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
        about.members, about.joined = {}, {}
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
