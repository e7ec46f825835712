-- Passes the results of scenarios to an output handler that a project has written for busted, one by one.
-- The main chunk. Its arguments: the table of the driver, and which handler to load. `HandlerSession` registers
-- the work `output.next`, which returns the next event, or nil after the last one.
local inside, order = ...
local type, error, pcall, xpcall, require, dofile = type, error, pcall, xpcall, require, dofile
local publish, view = inside.publish, inside.view
local await, nextEvent, taken = await, work.output.next, { event = "taken" }

-- MARK: the base of handlers

package.preload["busted.outputHandlers.base"] = function()
    return function()
        local busted = require "busted"
        local handler = { successes = {}, successesCount = 0, pendings = {}, pendingsCount = 0, failures = {},
            failuresCount = 0, errors = {}, errorsCount = 0, inProgress = {} }
        function handler.cancelOnPending(element, _, status)
            local isPending = element.descriptor == "pending" or status == "pending"
            return not (isPending and handler.options.suppressPending)
        end
        function handler.getFullName(element)
            local names = {}
            while element and element.descriptor ~= "file" and element.name do
                table.insert(names, 1, element.name)
                element = busted.parent(element)
            end
            return table.concat(names, " ")
        end
        function handler.format(element, _, message, trace, isError)
            local copy = {}
            for key, value in pairs(element) do copy[key] = value end
            copy.trace = element.trace or trace
            return { trace = trace or element.trace, element = copy, name = handler.getFullName(element),
                message = message, isError = isError }
        end
        function handler.getDuration() return (handler.endTick or 0) - (handler.startTick or 0) end
        local function note(list, count, entry)
            handler[count] = handler[count] + 1
            table.insert(handler[list], entry)
        end
        function handler.subscribe(self, options)
            handler.options = options
            local function first(channel, fn, predicate)
                busted.subscribe(channel, fn, { priority = 1, predicate = predicate })
            end
            first({ "suite", "start" }, function(suite)
                handler.startTick, handler.startTime = suite.starttick, suite.starttime
                return nil, true
            end)
            first({ "suite", "end" }, function(suite)
                handler.endTick, handler.endTime = suite.endtick, suite.endtime
                return nil, true
            end)
            local reason
            first({ "pending" }, function(_, _, message) reason = message return nil, true end)
            first({ "test", "end" }, function(element, parent, status, trace)
                if status == "success" then
                    note("successes", "successesCount", handler.format(element, parent, nil, trace))
                elseif status == "pending" then
                    note("pendings", "pendingsCount", handler.format(element, parent, reason, trace))
                    reason = nil
                elseif status == "failure" then
                    handler.failuresCount = handler.failuresCount + 1
                end
                return nil, true
            end, handler.cancelOnPending)
            first({ "failure", "it" }, function(element, parent, message, trace)
                table.insert(handler.failures, handler.format(element, parent, message, trace))
                return nil, true
            end)
            first({ "error" }, function(element, parent, message, trace)
                note("errors", "errorsCount", handler.format(element, parent, message, trace, true))
                return nil, true
            end)
        end
        return handler
    end
end

local function loadHandler(name)
    if name:find("%.lua$") then return dofile(name) end
    local ok, handler = pcall(require, "busted.outputHandlers." .. name)
    if ok then return handler end
    return require(name)
end

-- MARK: reporting

local root, groups = inside.suite, {}
root.name = nil
local function child(parent, word, name, place)
    return { word = word, name = name, parent = parent, place = place, isGroup = word ~= "it" }
end
local function start(channel, element, ...)
    publish({ channel, "start" }, view(element), inside.parentOfView(view(element)), ...)
end
local function finish(channel, element, ...)
    publish({ channel, "end" }, view(element), inside.parentOfView(view(element)), ...)
end
-- Leaves the groups that a scenario is not in, and enters those that it is in.
local function enter(names, count)
    local common = 1
    while groups[common + 1] and common < count + 1 and groups[common + 1].name == names[common] do
        common = common + 1
    end
    while #groups > common do finish("describe", table.remove(groups)) end
    while #groups < count + 1 do
        local group = child(groups[#groups], "describe", names[#groups])
        groups[#groups + 1] = group
        start("describe", group)
    end
end
local function leaveFile()
    if #groups == 0 then return end
    enter({}, 0)
    finish("file", table.remove(groups))
end
local function problem(element, event, status)
    local own = view(element)
    local trace = { traceback = event.traceback or "", short_src = own.trace.short_src,
        currentline = own.trace.currentline, message = event.message, what = "Lua", source = own.trace.source }
    publish({ status, own.descriptor }, own, inside.parentOfView(own), event.message, trace)
end

local function tellAll()
    inside.prepare(order)
    local options = { verbose = order.isVerbose, suppressPending = order.hidesPending, language = "en",
        deferPrint = false, arguments = order.arguments or {}, defaultOutput = "plainTerminal" }
    local handler = loadHandler(order.handler)
    if type(handler) ~= "function" then
        error("the output handler '" .. order.handler .. "' must be a function, got "
            .. inside.kind(handler), 0)
    end
    local made = handler(options)
    if made and made.subscribe then made:subscribe(options) end
    local suite = view(root)
    suite.starttick, suite.starttime = 0, os.time()
    publish({ "suite", "start" }, suite, 1, 1)
    local seconds = 0
    inside.tell(taken)
    while true do
        local event = await(nextEvent())
        if not event then
            break
        elseif event.kind == "end" then
            seconds = event.seconds
        elseif event.kind == "file" then
            leaveFile()
            groups[1] = child(root, "file", event.name)
            start("file", groups[1])
        elseif event.kind == "problem" then
            problem(groups[#groups], event, "error")
        else
            local names = event.names
            enter(names, #names - 1)
            local element = child(groups[#groups], "it", names[#names], event.place)
            local own = view(element)
            own.starttick, own.endtick, own.duration = 0, event.seconds, event.seconds
            start("test", element)
            if event.status == "pending" then
                publish({ "pending" }, own, inside.parentOfView(own), event.message, own.trace)
            elseif event.status ~= "success" then
                problem(element, event, event.status)
            end
            finish("test", element, event.status)
        end
        inside.tell(taken)
    end
    leaveFile()
    suite.endtick, suite.endtime, suite.duration = seconds, os.time(), seconds
    publish({ "suite", "end" }, suite, 1, 1)
    publish({ "exit" })
    -- Printed text goes along with an event.
    inside.tell { event = "over" }
end
local ok, raised = xpcall(tellAll, inside.describeError)
if not ok then inside.tell { event = "problem", message = raised.message, traceback = raised.traceback } end
inside.leave(0)
