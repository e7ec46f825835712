-- Writes lines of a script: steps, and additions to queues.
local Writer = {}
Writer.__index = Writer

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
Writer.literal = literal

function Writer.new(job)
    local self = setmetatable({ lines = {}, depth = 0, job = job, byName = {}, queues = {} }, Writer)
    for _, op in ipairs(job.ops) do self.byName[op.id] = op end
    for _, queue in ipairs(job.queues) do self.queues[queue.id] = queue end
    self.changesPriorities = literal(job):find('kind = "priority"', 1, true) ~= nil
    return self
end

-- A writer for the inside of a function.
function Writer:inner()
    return setmetatable({ lines = {}, depth = 2, byName = self.byName }, Writer)
end

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
    elseif kind == "join" then self:line("give(function(fn) return op.%s:addOperation(fn) end, '%s')", step.op, step.op)
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

return Writer
