-- `describe`, `it` and their hooks: the declarations of a file's groups and scenarios while it is loaded.
-- Puts `describeError`, `newGroup` and `phase` into the table of the driver, and makes the exports.
local inside = ...
local type, tostring, error, pcall, select, ipairs, setmetatable = type, tostring, error, pcall, select, ipairs,
    setmetatable
local debug, tonumber = debug, tonumber
local misuse, exports = inside.misuse, inside.exports

-- MARK: problems

local skip = {}

-- Converts an error to a table, at the place where it is raised.
function inside.describeError(raised)
    if type(raised) == "table" and raised[1] == skip then return { kind = "pending", message = raised[2] } end
    local result = { kind = "error", traceback = inside.traceback(raised), place = inside.place() }
    if inside.isFailure(raised) then
        result.kind, result.message, result.place = "failure", raised.message, raised.place
        result.expected, result.actual = raised.expected, raised.actual
    elseif type(raised) == "userdata" then
        result.message = tostring(raised)
        local failed = inside.raised[result.message]
        if failed then
            result.kind, result.message, result.place = "failure", failed.message, failed.place
            result.expected, result.actual = failed.expected, failed.actual
        end
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

-- The phase of the file: "group" while the function of a group runs, "test" inside of `it`, "hook".
inside.phase = "group"
local kinds = { "strict_setup", "lazy_setup", "before_each", "after_each", "strict_teardown", "lazy_teardown" }

function inside.newGroup(word, name, parent)
    local group = { word = word, name = name, parent = parent, isGroup = true, children = {}, hooks = {} }
    for _, kind in ipairs(kinds) do group.hooks[kind] = {} end
    return group
end

local function checkPhase(what)
    if inside.phase == "test" then misuse(what .. " cannot be called inside of 'it'") end
    if inside.phase == "hook" then misuse(what .. " cannot be called inside of a hook") end
end
-- The name of an element: a text or a number; without one, the word, if a function follows.
local function nameOf(what, name, hasFunction)
    checkPhase(what)
    if type(name) == "number" then return tostring(name) end
    if name == nil and hasFunction then return what end
    if type(name) ~= "string" then
        misuse("bad argument #1 to '" .. what .. "' (name expected, got " .. inside.kind(name) .. ")")
    end
    return name
end

local function checkOptions(what, options, known, names)
    for _, key in ipairs(inside.sortedKeys(options)) do
        local wanted = known[key]
        if not wanted then
            misuse(what .. " has no option '" .. tostring(key) .. "'" .. inside.suggest(tostring(key), names))
        end
        if type(options[key]) ~= wanted then
            misuse("'" .. key .. "' must be a " .. wanted .. ", got " .. inside.kind(options[key]))
        end
    end
    if options.timeout and not (options.timeout > 0) then misuse("'timeout' is a number of seconds above 0") end
    return options
end

local function attach(element)
    element.place = inside.place()
    local children = element.parent.children
    children[#children + 1] = element
end

-- The function may also follow in a second call: describe "name" (function() … end).
local function faultOf(what, fn)
    return "bad argument #2 to '" .. what .. "' (function expected, got " .. inside.kind(fn) .. ")"
end
local function checkBody(what, fn, isOptional)
    if not isOptional and not inside.isCallable(fn) then misuse(faultOf(what, fn)) end
end

local function makeGroup(what, mode)
    return function(name, first, second)
        if type(name) == "function" and first == nil then name, first = what, name end
        name = nameOf(what, name, first)
        local options, fn = second, first
        if type(first) == "table" and not inside.isCallable(first) then options, fn = first, second end
        checkBody(what, fn, fn == nil)
        if options ~= nil and type(options) ~= "table" then
            misuse("bad argument #2 to '" .. what .. "' (function or options expected, got "
                .. inside.kind(options) .. ")")
        end
        options = checkOptions(what, options or {}, { isolate = "boolean" }, { "isolate" })
        local parent = inside.current()
        local group = inside.newGroup(what, name, parent)
        group.fn, group.mode = fn, mode
        group.isIsolated = options.isolate
        if options.isolate == nil then group.isIsolated = parent.isIsolated end
        attach(group)
        if fn then return end
        -- It stays without one only by a mistake, which does not fail the others.
        group.fn = function()
            inside.tell { event = "note", text = (group.place and group.place .. ": " or "") .. what .. " '"
                .. name .. "' has no function" }
        end
        return function(later)
            checkBody(what, later)
            group.fn = later
        end
    end
end

local known, knownNames = { timeout = "number", leaks = "boolean" }, { "timeout", "leaks" }
local function add(what, name, isReal, first, second)
    if type(name) == "function" and first == nil then name, first = what, name end
    name = nameOf(what, name, first)
    local options, fn = first, second
    if inside.isCallable(first) then options, fn = second, first end
    if options ~= nil and type(options) ~= "table" then
        misuse("bad argument #2 to '" .. what .. "' (function or options expected, got "
            .. inside.kind(options) .. ")")
    end
    if fn ~= nil and not inside.isCallable(fn) then
        misuse("bad argument #3 to '" .. what .. "' (function expected, got " .. inside.kind(fn) .. ")")
    end
    local scenario = {
        word = what, name = name, parent = inside.current(), fn = fn, isReal = isReal,
        isPending = what == "pending" or fn == nil,
        options = options and checkOptions(what, options, known, knownNames) or nil,
    }
    attach(scenario)
    if fn or what == "pending" then return end
    return function(later)
        checkBody(what, later)
        scenario.fn, scenario.isPending = later, false
    end
end

for what, mode in next, { describe = "plain", context = "plain", insulate = "insulate", expose = "expose" } do
    exports[what] = makeGroup(what, mode)
end
-- `it` is a function, as specs expect, and has the field `real`. Functions can only have fields by the
-- metatable of all functions; it refuses fields of others as Lua does.
local reals = {}
local hasFields = debug and debug.setmetatable and not debug.getmetatable(print)
local function fieldOf(fn, key)
    local real = reals[fn]
    if not real then error("attempt to index a function value (field '" .. tostring(key) .. "')", 2) end
    if key == "real" then return real.fn end
    misuse(real.word .. " has no '" .. tostring(key) .. "'; there is " .. real.word .. ".real")
end
local function makeScenario(what)
    local function makeReal(name, first, second) return add(what .. ".real", name, true, first, second) end
    local function make(name, first, second) return add(what, name, nil, first, second) end
    if not hasFields then
        return setmetatable({ real = makeReal }, { __call = function(_, ...) return make(...) end })
    end
    reals[make] = { word = what, fn = makeReal }
    return make
end
if hasFields then
    debug.setmetatable(makeScenario, { __index = fieldOf, __metatable = false })
end
exports.it, exports.spec, exports.test = makeScenario("it"), makeScenario("spec"), makeScenario("test")
-- Inside `it`, it ends the scenario as pending.
function exports.pending(name, fn)
    if inside.phase ~= "group" then error({ skip, name or "pending" }, 0) end
    add("pending", name, nil, fn)
end
local function makeHook(what, kind)
    exports[what] = function(name, fn)
        checkPhase(what)
        if fn == nil then fn = name end
        if not inside.isCallable(fn) then misuse("bad argument #1 to '" .. what
            .. "' (function expected, got " .. inside.kind(fn) .. ")") end
        local hooks = inside.current().hooks[kind]
        hooks[#hooks + 1] = fn
    end
end
function inside.makeHooks(areLazy)
    for _, kind in ipairs(kinds) do makeHook(kind, kind) end
    makeHook("setup", areLazy and "lazy_setup" or "strict_setup")
    makeHook("teardown", areLazy and "lazy_teardown" or "strict_teardown")
end
function exports.finally(fn)
    if inside.phase ~= "test" then misuse("finally is for the inside of 'it'; outside there is after_each") end
    if not inside.isCallable(fn) then misuse("bad argument #1 to 'finally' (function expected, got "
        .. inside.kind(fn) .. ")") end
    local last = inside.current().last
    last[#last + 1] = fn
end
-- randomize([seed]), randomize(false): the order of the group's scenarios and groups.
function exports.randomize(...)
    checkPhase("randomize")
    local group = inside.current()
    local first, second = ...
    if select("#", ...) > 0 and not first then
        group.isShuffled = false
    else
        group.isShuffled, group.seed = true, tonumber(first) or tonumber(second)
    end
end
