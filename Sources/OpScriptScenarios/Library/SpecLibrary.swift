/// `describe`, `it` and their hooks: collects the scenarios of a file, and runs one of them.
enum SpecLibrary {
    /// The main chunk of a run. Its arguments: the table of the driver, what is to be done, the file as a function, why
    /// there is none.
    static let source = #"""
        local inside, order, script, problem = ...
        local type, tostring, error, pcall, xpcall, setmetatable = type, tostring, error, pcall, xpcall, setmetatable
        local concat, pack = table.concat, table.pack
        local tell, misuse, clock, shield = inside.tell, inside.misuse, clock, shield

        -- MARK: what goes wrong

        local skip = {}

        -- Makes a table of an error, where it is raised.
        local function describeError(raised)
            if type(raised) == "table" and raised[1] == skip then return { kind = "pending", message = raised[2] } end
            local result = { kind = "error", traceback = inside.traceback(raised), place = inside.place() }
            if inside.isFailure(raised) then
                result.kind, result.message, result.place = "failure", raised.message, raised.place
                result.expected, result.actual = raised.expected, raised.actual
            elseif type(raised) == "userdata" then
                result.message = tostring(raised)
                local ok, code = pcall(function() return raised.code end)
                if ok and type(code) == "string" then
                    result.code = code
                    local made = raised.createdAt
                    if type(made) == "string" and raised.operation then
                        result.message = result.message .. "\nin operation '" .. tostring(raised.operation.name)
                            .. "' (" .. made .. ")"
                    end
                end
            elseif type(raised) == "string" or type(raised) == "number" then
                result.message = tostring(raised)
            else
                local ok, text = pcall(inside.format, raised)
                result.message = "raised " .. (ok and text or "a " .. type(raised))
            end
            return result
        end

        -- MARK: collecting

        local root = { names = {}, hooks = { setup = {}, before_each = {}, after_each = {}, teardown = {} } }
        local group, count, chosen = root, 0, nil
        -- The scenario that runs.
        local running

        local function report(where, found)
            found.event, found.where = "problem", where
            if order.action == "list" then tell(found) end
        end

        local function checkName(what, name)
            if running then misuse(what .. " cannot be called inside of 'it'") end
            if type(name) ~= "string" then
                misuse("bad argument #1 to '" .. what .. "' (name expected, got " .. inside.kind(name) .. ")")
            end
        end

        local function makeGroup(what)
            return function(name, fn)
                checkName(what, name)
                if type(fn) ~= "function" then
                    misuse("bad argument #2 to '" .. what .. "' (function expected, got " .. inside.kind(fn) .. ")")
                end
                local outer, names = group, { table.unpack(group.names) }
                names[#names + 1] = name
                group = { parent = outer, names = names, hooks = { setup = {}, before_each = {}, after_each = {},
                    teardown = {} } }
                local ok, found = xpcall(fn, describeError)
                group = outer
                if not ok then report(what .. " '" .. name .. "'", found) end
            end
        end

        local known = { timeout = "number", leaks = "boolean" }
        local function add(what, name, isReal, first, second)
            checkName(what, name)
            local options, fn = first, second
            if type(first) == "function" then options, fn = second, first end
            if options ~= nil and type(options) ~= "table" then
                misuse("bad argument #2 to '" .. what .. "' (function or options expected, got "
                    .. inside.kind(options) .. ")")
            end
            if fn ~= nil and type(fn) ~= "function" then
                misuse("bad argument #3 to '" .. what .. "' (function expected, got " .. inside.kind(fn) .. ")")
            end
            options = options or {}
            for _, key in ipairs(inside.sortedKeys(options)) do
                local wanted = known[key]
                if not wanted then
                    misuse(what .. " has no option '" .. tostring(key) .. "'" .. inside.suggest(tostring(key),
                        { "timeout", "leaks" }))
                end
                if type(options[key]) ~= wanted then
                    misuse("'" .. key .. "' is to be a " .. wanted .. ", got " .. inside.kind(options[key]))
                end
            end
            if options.timeout and not (options.timeout > 0) then misuse("'timeout' is a number of seconds above 0") end
            count = count + 1
            local names = { table.unpack(group.names) }
            names[#names + 1] = name
            if order.action == "run" then
                if count == order.index then
                    chosen = { group = group, fn = fn, options = options, names = concat(names, "\0") }
                end
                return
            end
            tell {
                event = "scenario", index = count, names = names, place = inside.place(), isReal = isReal,
                isPending = what == "pending" or fn == nil, timeout = options.timeout,
            }
        end

        describe, context, insulate, expose = makeGroup("describe"), makeGroup("context"), makeGroup("insulate"),
            makeGroup("expose")
        local function makeScenario(what)
            return setmetatable({ real = function(name, first, second) add(what .. ".real", name, true, first,
                second) end }, {
                __call = function(_, name, first, second) add(what, name, false, first, second) end,
                __index = function(_, key) misuse(what .. " has no '" .. tostring(key) .. "'; there is " .. what
                    .. ".real") end,
            })
        end
        it, spec, test = makeScenario("it"), makeScenario("spec"), makeScenario("test")
        -- Inside of `it` it leaves the scenario as pending.
        function pending(name, fn)
            if running then error({ skip, name or "pending" }, 0) end
            add("pending", name, false, fn)
        end
        local function makeHook(what, kind)
            return function(fn)
                if running then misuse(what .. " cannot be called inside of 'it'") end
                if type(fn) ~= "function" then misuse("bad argument #1 to '" .. what
                    .. "' (function expected, got " .. inside.kind(fn) .. ")") end
                local hooks = group.hooks[kind]
                hooks[#hooks + 1] = fn
            end
        end
        before_each, after_each = makeHook("before_each", "before_each"), makeHook("after_each", "after_each")
        setup, lazy_setup, strict_setup = makeHook("setup", "setup"), makeHook("lazy_setup", "setup"),
            makeHook("strict_setup", "setup")
        teardown, lazy_teardown = makeHook("teardown", "teardown"), makeHook("lazy_teardown", "teardown")
        strict_teardown = makeHook("strict_teardown", "teardown")
        function finally(fn)
            if not running then misuse("finally is for the inside of 'it'; outside there is after_each") end
            if type(fn) ~= "function" then misuse("bad argument #1 to 'finally' (function expected, got "
                .. inside.kind(fn) .. ")") end
            running.last[#running.last + 1] = fn
        end

        -- MARK: the file

        if not script then
            tell { event = "problem", kind = "error", where = "", message = problem }
            inside.leave(0)
        end
        local loaded, found = xpcall(script, describeError)
        if not loaded then report("", found) end
        if order.action == "list" then
            tell { event = "listed" }
            inside.leave(0)
        end

        -- MARK: one scenario

        if not chosen or chosen.names ~= order.names then
            tell {
                event = "result", problems = { {
                    kind = "error",
                    message = "it was not there when the file was loaded again: "
                        .. "what scenarios a file has must not depend on chance or time",
                } },
            }
            inside.leave(0)
        end
        running = { last = {} }
        local problems, skipped = {}, nil

        local function attempt(where, fn)
            local ok, raised = xpcall(fn, describeError)
            if ok then return true end
            if raised.kind == "pending" then
                skipped = raised.message
            else
                raised.where = where
                problems[#problems + 1] = raised
            end
            return false
        end
        -- What cleans up may wait even when all else is cancelled.
        local function attemptLast(where, fn)
            attempt(where, (inside.expired() or inside.cancelled()) and function() shield(fn) end or fn)
        end

        local groups = {}
        do
            local each = chosen.group
            while each do
                table.insert(groups, 1, each)
                each = each.parent
            end
        end
        if chosen.options.timeout or not order.isReal then
            local limit = chosen.options.timeout or order.virtualLimit
            inside.limit(limit, "it did not end within " .. inside.seconds(limit) .. " s" .. (order.isReal and ""
                or " of virtual time"))
        end
        tell { event = "begun" }
        inside.beginRecording()
        local startedAt = clock.now()
        local entered, prepared, isReady = 0, 0, true
        for place = 1, #groups do
            entered = place
            for _, hook in ipairs(groups[place].hooks.setup) do isReady = isReady and attempt("setup", hook) end
            if not isReady then break end
        end
        if isReady then
            for place = 1, #groups do
                prepared = place
                for _, hook in ipairs(groups[place].hooks.before_each) do
                    isReady = isReady and attempt("before_each", hook)
                end
                if not isReady then break end
            end
        end
        if isReady then
            inside.beginRecording()
            attempt("", chosen.fn)
        end
        for place = #running.last, 1, -1 do attemptLast("finally", running.last[place]) end
        for place = prepared, 1, -1 do
            for _, hook in ipairs(groups[place].hooks.after_each) do attemptLast("after_each", hook) end
        end
        for place = entered, 1, -1 do
            for _, hook in ipairs(groups[place].hooks.teardown) do attemptLast("teardown", hook) end
        end
        if not inside.expired() then attemptLast("", inside.settle) end
        if inside.cancelled() then
            -- What the scenario wanted is no failure.
            local kept = {}
            for _, each in ipairs(problems) do
                if each.code ~= "cancelled" then kept[#kept + 1] = each end
            end
            problems = kept
        end

        local leaks, notes = nil, {}
        local reason, where = inside.expired()
        if reason then
            -- What was cancelled because of it is no news.
            local kept = { { kind = "error", code = "limit", message = reason .. (where and ": it waits here" or ""),
                place = where } }
            for _, each in ipairs(problems) do
                if each.code == "cancelled" then
                    kept[1].traceback = kept[1].traceback or each.traceback
                else
                    kept[#kept + 1] = each
                end
            end
            problems = kept
        elseif not chosen.options.leaks then
            leaks = inside.leftovers()
        end
        for _, failure in ipairs(inside.failures()) do
            if inside.raised[failure.message] then
                -- The text has its place in front.
                problems[#problems + 1] = {
                    kind = "failure", where = "operation '" .. failure.name .. "' (" .. failure.place .. ")",
                    message = failure.message, traceback = failure.traceback,
                }
            else
                notes[#notes + 1] = ("operation '%s' (%s) failed, and nobody awaited it: %s"):format(
                    failure.name, failure.place, failure.message)
            end
        end
        tell {
            event = "result", problems = problems, skipped = skipped, leaks = leaks, notes = notes,
                seconds = clock.now() - startedAt,
        }
        inside.leave(0)
        """#
}
