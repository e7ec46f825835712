-- The text of the script that performs a job and prints its facts.
local Writer = require "writer"
require "operation"
require "surroundings"

local literal = Writer.literal

local Script = {}

local folder = arg[0]:match("^(.*)/") or "."
Script.folder = folder

local function read(name)
    local file = assert(io.open(folder .. "/" .. name))
    local text = file:read("a")
    file:close()
    return text
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

-- The script of a job. `options`: `patience`, the seconds of the last waits; `checks`: the path of the rules, for a script
-- that checks itself.
function Script.text(job, options)
    local self = Writer.new(job)
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
