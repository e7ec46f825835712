-- Visits the groups and scenarios of a file in busted's order: lists them, or runs all or one of them.
-- The main chunk of a run. Its arguments: the table of the driver, the request, the file as a function,
-- and the reason if there is no function.
local inside, order, script, problem = ...
local type, tostring, xpcall, ipairs, select, math = type, tostring, xpcall, ipairs, select, math
local concat, insert, sort, find = table.concat, table.insert, table.sort, string.find
local load, package, shield, clock = load, package, shield, clock
local tell, describeError = inside.tell, inside.describeError
local isList, isOne = order.action == "list", order.action == "one"

-- The running scenario, with its problems; the places of groups and scenarios that are visited.
local running
local path = {}
local count, leftOut = order.afterIndex or 0, 0
-- No more scenarios run: the run has failed and another engine continues, or the first failure ends it.
local isRenewing, isOver = false, false
-- The files of the modules that the file has loaded.
local modules = {}

local function note(where, found, element)
    found.where = where
    if running then
        running.problems[#running.problems + 1] = found
        return
    end
    found.event, found.isAgain = "problem", element and element.isContinued
    tell(found)
    if order.failsFast then isOver = true end
end
local function publishProblem(element, found)
    if not inside.hasSubscribers() then return end
    local view = inside.view(element)
    local message = (found.place and found.place .. ": " or "") .. tostring(found.message)
    inside.publish({ found.kind, view.descriptor }, view, inside.parentOfView(view), message,
        { traceback = found.traceback or "", message = message, short_src = view.trace.short_src,
            currentline = view.trace.currentline })
end

local function attempt(where, fn, element, phase, isContinued)
    local before = inside.phase
    inside.phase = phase
    if element then inside.enter(element) end
    local ok, raised = xpcall(fn, describeError)
    if element then inside.leaveContext() end
    inside.phase = before
    if ok then return true end
    if raised.kind == "pending" and running and phase ~= "group" then running.skipped = raised.message
    elseif not (phase == "group" and (isOne or isContinued)) then
        -- A group's problem was reported when the scenarios were listed, or by the engine that began it.
        note(where, raised, element)
        publishProblem(phase == "test" and running and running.element or inside.current(), raised)
    end
    return false
end
-- Cleanup may wait even when everything else is cancelled.
local function attemptLast(where, fn, element)
    local isShielded = inside.expired() or inside.cancelled() or inside.ending()
    return attempt(where, isShielded and function() shield(fn) end or fn, element, "hook")
end
local function limitHooks()
    if order.isReal then return end
    inside.limit(order.virtualLimit, "it did not end within " .. inside.seconds(order.virtualLimit)
        .. " s of virtual time")
end

-- MARK: choosing

local function fullName(element)
    local names = {}
    while element and element.name and element.word ~= "file" do
        insert(names, 1, element.name)
        element = element.parent
    end
    return concat(names, " "), names
end
local function hasOne(text, patterns, prefix)
    for _, pattern in ipairs(patterns) do if find(text, prefix .. pattern) then return true end end
    return false
end
local excludedNames = {}
for _, name in ipairs(order.excludedNames or {}) do excludedNames[name] = true end
local function isExcluded(element)
    if order.excludedNames and not element.isGroup
        and excludedNames[(fullName(element):gsub("\n", "\\n"))] then return true end
    if #order.excludedTags > 0 and hasOne(element.name, order.excludedTags, "#") then return true end
    return #order.filtersOut > 0 and hasOne(fullName(element), order.filtersOut, "")
end
local function isChosen(element)
    if isExcluded(element) then return false end
    if #order.tags == 0 and #order.filters == 0 then return true end
    local name = fullName(element)
    if #order.tags > 0 and not hasOne(name, order.tags, "#") then return false end
    return #order.filters == 0 or hasOne(name, order.filters, "")
end

-- MARK: order

local function exchange(list, place, other) list[place], list[other] = list[other], list[place] end
-- Numbers that a seed determines (SplitMix64).
local function shuffle(list, seed)
    for place = #list, 2, -1 do
        seed = seed + 0x9E3779B97F4A7C15
        local mixed = (seed ~ (seed >> 30)) * 0xBF58476D1CE4E5B9
        mixed = (mixed ~ (mixed >> 27)) * 0x94D049BB133111EB
        mixed = mixed ~ (mixed >> 31)
        exchange(list, place, (mixed >> 1) % place + 1)
    end
end
local function arrange(group)
    -- A path has the places in the file.
    if isOne or isList then return end
    if order.isSorted then
        local places = {}
        for place, child in ipairs(group.children) do places[child] = place end
        sort(group.children, function(a, b)
            if a.name ~= b.name then return a.name < b.name end
            return places[a] < places[b]
        end)
    elseif group.isShuffled and math.tointeger(group.seed) then
        -- The order that the seed of a script determines is that of its own generator.
        math.randomseed(math.tointeger(group.seed))
        for place = #group.children, 2, -1 do exchange(group.children, place, math.random(place)) end
    elseif group.isShuffled or (group.isShuffled == nil and order.shuffleSeed) then
        shuffle(group.children, order.shuffleSeed or order.seed)
    end
end

-- MARK: one scenario

local function chainOf(group)
    local groups = {}
    while group and group.isGroup do
        insert(groups, 1, group)
        group = group.parent
    end
    return groups
end

local function setUpLazily(groups)
    local isReady = true
    for _, group in ipairs(groups) do
        if group.wasSetUp == nil then
            group.wasSetUp = true
            for _, hook in ipairs(group.hooks.lazy_setup) do
                if not attempt("setup", hook, group, "hook") then group.wasSetUp = false end
            end
        end
        isReady = isReady and group.wasSetUp
        if not isReady then break end
    end
    return isReady
end

local function metadata(event, element)
    local _, names = fullName(element)
    return {
        event = event, index = count, names = names, path = { table.unpack(path) }, place = element.place,
        isReal = element.isReal, isPending = element.isPending,
    }
end

-- Leftovers, and failures of operations that were never awaited.
local function conclude(element, startedAt)
    if not inside.expired() then attemptLast("", inside.settle) end
    local problems = running.problems
    if inside.cancelled() then
        -- A cancellation that the scenario requested is not a failure.
        local kept = {}
        for _, each in ipairs(problems) do
            if each.code ~= "cancelled" then kept[#kept + 1] = each end
        end
        problems = kept
    end
    local leaks, notes = nil, inside.warnings
    inside.warnings = {}
    local reason, where = inside.expired()
    if reason then
        -- Cancellations that it caused are not reported.
        local kept = { { kind = "error", code = "limit", message = reason
            .. (where and ": it waits here" or ""), place = where } }
        for _, each in ipairs(problems) do
            if each.code == "cancelled" then
                kept[1].traceback = kept[1].traceback or each.traceback
            else
                kept[#kept + 1] = each
            end
        end
        problems = kept
    elseif not (element.options and element.options.leaks) then
        leaks = inside.leftovers()
    end
    for _, failure in ipairs(inside.failures()) do
        local raised = inside.raised[failure.message]
        if raised then
            problems[#problems + 1] = {
                kind = "failure", where = "operation '" .. failure.name .. "' (" .. failure.place .. ")",
                message = raised.message, place = raised.place, expected = raised.expected,
                actual = raised.actual, traceback = failure.traceback,
            }
        else
            notes[#notes + 1] = ("operation '%s' (%s) failed and was not awaited: %s"):format(
                failure.name, failure.place, failure.message)
        end
    end
    local isBad = #problems > 0 or (leaks and #leaks > 0)
    local skipped = running.skipped
    if skipped ~= nil and type(skipped) ~= "string" then skipped = inside.format(skipped) end
    tell {
        event = "result", problems = problems, skipped = skipped, leaks = leaks, notes = notes,
        seconds = clock.now() - startedAt, isEnding = inside.ending(),
        assertions = inside.ending() and inside.failedAssertions() or nil,
    }
    running = nil
    inside.raised = {}
    if isBad and order.failsFast then isOver = true end
    return isBad, skipped ~= nil
end

-- Removes leftovers, so that the next scenario starts clean; if that is not possible, another engine
-- continues.
local function clean()
    if inside.expired() or inside.cancelled() or inside.ending() then
        isRenewing = true
    elseif #inside.leftovers() > 0 then
        inside.endLeftovers()
        attempt("", inside.settle, nil, "hook")
        if #inside.leftovers() > 0 or inside.ending() then isRenewing = true end
    end
end

local function run(element, groups)
    element.last = {}
    if not isOne then inside.part() end
    local limit = element.options and element.options.timeout
    if limit or not order.isReal then
        limit = limit or order.virtualLimit
        inside.limit(limit, "it did not end within " .. inside.seconds(limit) .. " s"
            .. (order.isReal and "" or " of virtual time"))
    end
    tell(metadata("begun", element))
    inside.beginRecording()
    local startedAt = clock.now()
    local isWatched, view = inside.hasSubscribers(), nil
    if isWatched then
        view = inside.view(element)
        inside.publish({ "test", "start" }, view, inside.parentOfView(view))
    end
    if not isOne then running = { problems = {}, element = element } end
    running.element = element
    local prepared, isReady = 0, true
    for place, group in ipairs(groups) do
        prepared = place
        for _, hook in ipairs(group.hooks.before_each) do
            isReady = attempt("before_each", hook, group, "hook") and isReady
        end
        if not isReady then break end
    end
    if isReady then
        inside.beginRecording()
        attempt("", element.fn, element, "test")
    end
    for place = #element.last, 1, -1 do attemptLast("finally", element.last[place], element) end
    for place = prepared, 1, -1 do
        for _, hook in ipairs(groups[place].hooks.after_each) do
            attemptLast("after_each", hook, groups[place])
        end
    end
    local function finish()
        local isBad, isSkipped = conclude(element, startedAt)
        if isWatched then
            local status = isBad and "failure" or isSkipped and "pending" or "success"
            inside.publish({ "test", "end" }, view, inside.parentOfView(view), status)
        end
    end
    if isOne then
        running.finish = finish
    else
        finish()
        clean()
        limitHooks()
    end
end

local function visitScenario(element, isLeftOut)
    count = count + 1
    if isOne then
        local name = concat(select(2, fullName(element)), "\0")
        if name == order.names then
            running.wasFound = true
            if setUpLazily(chainOf(element.parent)) then run(element, chainOf(element.parent)) end
        end
        return
    end
    if isLeftOut or not isChosen(element) then
        leftOut = leftOut + 1
        if isList then tell { event = "leftOut" } end
        return
    end
    if isList then return tell(metadata("scenario", element)) end
    if element.isPending then
        tell(metadata("begun", element))
        tell { event = "result", isPending = true }
        if inside.hasSubscribers() then
            local view = inside.view(element)
            inside.publish({ "test", "start" }, view, inside.parentOfView(view))
            inside.publish({ "test", "end" }, view, inside.parentOfView(view), "pending")
        end
        return
    end
    if (element.isReal and not order.isReal) or element.parent.isIsolated then
        return tell(metadata("separate", element))
    end
    local groups = chainOf(element.parent)
    if setUpLazily(groups) then run(element, groups) end
end

-- MARK: groups

-- `level` is its place in a path; `skips`: the scenario after which to begin is in it.
local function visitGroup(group, level, isLeftOut, skips)
    local isFile = group.word == "file"
    local isWatched = inside.hasSubscribers() and not isList
    if isWatched then
        local view = inside.view(group)
        inside.publish({ view.descriptor, "start" }, view, inside.parentOfView(view))
    end
    inside.enter(group)
    group.isContinued = skips -- another engine has begun it, and has ended in it
    attempt(isFile and "" or group.word .. " '" .. group.name .. "'", group.fn, nil, "group", skips)
    arrange(group)
    local isReady, hooks = true, group.hooks
    -- The hooks of an isolated group run where its scenarios run.
    local runsHooks = not isList and (isOne or not group.isIsolated)
    if runsHooks and not isLeftOut then
        for _, hook in ipairs(hooks.strict_setup) do
            isReady = attempt("setup", hook, group, "hook") and isReady
        end
    end
    if isReady then
        local first, last = 1, #group.children
        if isOne then
            first = order.path[level] or last + 1
            last = math.min(first, last)
        elseif skips then
            first = order.after[level] or last + 1
        end
        for place = first, last do
            local child = group.children[place]
            local isAfter = skips and place == first
            if isRenewing or isOver then break end
            path[level] = place
            if child.isGroup then
                local isOut = isLeftOut or isExcluded(child)
                if not isOut or isList or isOne then
                    visitGroup(child, level + 1, isOut and not isOne, isAfter)
                end
            elseif not isAfter then
                visitScenario(child, isLeftOut)
            end
            path[level] = nil
        end
    end
    if runsHooks and not isLeftOut then
        if group.wasSetUp ~= nil then
            for _, hook in ipairs(hooks.lazy_teardown) do attemptLast("teardown", hook, group) end
        end
        for _, hook in ipairs(hooks.strict_teardown) do attemptLast("teardown", hook, group) end
    end
    -- The modules that the file has loaded are forgotten at its end.
    if isFile and not isList then modules = inside.loadedFiles() end
    inside.leaveContext()
    if isWatched then
        local view = inside.view(group)
        inside.publish({ view.descriptor, "end" }, view, inside.parentOfView(view))
    end
end

-- MARK: the files

inside.makeHooks(order.isLazy)
if isOne then running = { problems = {} } end
limitHooks()

local function visit(place, fn, isAfter)
    order.file = place
    local file = inside.newGroup("file", place, inside.suite)
    file.fn, file.mode = fn, not order.isExposed and "insulate" or "plain"
    inside.environment(fn, inside.fileEnvironment)
    visitGroup(file, 1, false, isAfter)
end
local function refuse(text) tell { event = "problem", kind = "error", where = "", message = text } end

-- Runs a file of the whole run; false if no other file follows in this engine.
local function runFile(place, fn, fault, isAfter, isLast)
    if fn then visit(place, fn, isAfter) else refuse(fault) end
    if isRenewing then
        tell { event = "renew", leftOut = leftOut }
        return false
    end
    if isLast or isOver then
        if fn then inside.isWhole() end
        local leaks = fn and not inside.ending() and inside.leftovers() or {}
        if #leaks > 0 then
            tell { event = "problem", kind = "leak", where = "", message = "the file left something behind:",
                leaks = leaks }
        end
    end
    tell { event = "ended", leftOut = leftOut, modules = modules, isLast = isOver }
    count, leftOut, modules = 0, 0, {}
    return not isOver
end
local function runFiles()
    local others = order.others or {}
    if not runFile(order.file, script, problem, order.after ~= nil, #others == 0) then return end
    for place, other in ipairs(others) do
        tell { event = "file" }
        local folder = other.path:match("^(.*)/[^/]*$") or "."
        if package.path and not find(";" .. package.path, ";" .. folder .. "/?.lua", 1, true) then
            package.path = package.path .. ";" .. folder .. "/?.lua;" .. folder .. "/?/init.lua"
        end
        local fn, fault = load(other.source:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", ""), "@" .. other.path)
        if not runFile(other.path, fn, fault, false, place == #others) then return end
    end
end

local isReady = (not script and isList) or inside.prepare(order)
if isList then
    if not script then refuse(problem) elseif isReady then visit(order.file, script) end
    tell { event = "listed" }
elseif isOne then
    if not script then refuse(problem) elseif isReady then visit(order.file, script) end
    if not running.wasFound then
        running.problems[#running.problems + 1] = {
            kind = "error",
            message = "it was missing when the file was loaded again: "
                .. "what scenarios a file has must not depend on chance or time",
        }
    end
    if running.finish then running.finish() else tell { event = "result", problems = running.problems } end
elseif isReady then
    runFiles()
else
    tell { event = "ended", leftOut = 0, modules = {}, isLast = true }
end
inside.leave(0)
