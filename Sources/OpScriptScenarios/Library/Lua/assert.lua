-- `assert`, callable as Lua's, with named assertions in the words of busted: the parsing and evaluation of a
-- call.
-- Puts `define`, `fail` and `isFailure` into the table of the driver, and makes the export `assert`.
local inside = ...
local type, tostring, select, error, setmetatable, getmetatable, pairs, ipairs, next = type, tostring,
    select, error, setmetatable, getmetatable, pairs, ipairs, next
local pack, unpack, remove = table.pack, table.unpack, table.remove
local rawget, rawset, debug = rawget, rawset, debug
local format = inside.format

-- A failed assertion as an error: a table that prints as Lua's errors do.
local failure = { __name = "failed assertion" }
failure.__tostring = function(self) return self.text end
-- All failures by their texts, by which a failure inside an operation is recognised.
inside.raised = {}

function inside.isFailure(value) return getmetatable(value) == failure end

-- The text of a failure in the words of the results.
function inside.ownText(self)
    local text = (self.place and self.place .. ": " or "") .. self.message
    if self.expected then text = text .. "\nexpected: " .. self.expected end
    if self.actual then text = text .. "\nactual: " .. self.actual end
    return text
end

-- Messages about all failures, by which an error that ends the run is recognised.
function inside.failedAssertions()
    local list = {}
    for text, failed in pairs(inside.raised) do
        list[#list + 1] = { text = text, kind = "failure", message = failed.message, place = failed.place,
            expected = failed.expected, actual = failed.actual }
    end
    return list
end

-- Whether a function of Lua calls the library, and not pcall, say. Then an error's text begins with the place.
local function isCalledFromLua()
    if not debug or not debug.getinfo then return true end
    local level = 2
    local found = debug.getinfo(level, "S")
    while found and found.source:find("^=%[opscript ") do
        level = level + 1
        found = debug.getinfo(level, "S")
    end
    return not found or found.what ~= "C"
end

-- `text` is what code sees that catches the failure; without it, the same as in the results.
function inside.fail(message, expected, actual, text)
    local value = setmetatable(
        { message = message, expected = expected, actual = actual, place = inside.place() }, failure)
    if not text then
        value.text = inside.ownText(value)
    elseif value.place and isCalledFromLua() then
        value.text = value.place .. ": " .. text
    else
        value.text = text
    end
    inside.raised[value.text] = value
    error(value, 0)
end

-- Notes beside the results of a scenario.
inside.warnings = {}
function inside.warn(text)
    local place = inside.place()
    inside.warnings[#inside.warnings + 1] = (place and place .. ": " or "") .. text
end

-- A mistake in the call itself.
local function misuse(text)
    local place = inside.place()
    error((place and place .. ": " or "") .. text, 0)
end
inside.misuse = misuse

-- MARK: parameters, formatters, spies: the state that a snapshot restores

local snapshot = {}
snapshot.__index = snapshot
local current = setmetatable({ formatters = {}, parameters = {}, spies = {} }, snapshot)
local nothing = {}
function snapshot:revert()
    if self.isReverted then return end
    while current.previous do
        local last = current
        for place = #last.spies, 1, -1 do last.spies[place]:revert() end
        last.isReverted, last.formatters, last.parameters, last.spies = true, {}, {}, {}
        current = last.previous
        current.next = nil
        if last == self then return end
    end
end
snapshot.__call = snapshot.revert
local function takeSnapshot()
    local new = setmetatable({ formatters = {}, parameters = {}, spies = {}, previous = current }, snapshot)
    current.next, current = new, new
    return current
end
function inside.addSpy(spy) current.spies[#current.spies + 1] = spy end
local function parameter(name)
    local each = current
    while each do
        local value = each.parameters[name]
        if value == nothing then return nil end
        if value ~= nil then return value end
        each = each.previous
    end
end
local hasFormatters = false
-- The text of a value by the first formatter of a script that accepts it; nil if none does.
function inside.formatted(value, given)
    if not hasFormatters then return nil end
    local each = current
    while each do
        for _, formatter in ipairs(each.formatters) do
            local text = formatter(value, given)
            if text ~= nil then return tostring(text) end
        end
        each = each.previous
    end
end

-- MARK: names

-- Assertions, matchers and modifiers by name. An assertion of the library has `test`, one of a script
-- `callback`.
local namespaces = { assertion = {}, matcher = {}, modifier = {} }
inside.namespaces, inside.assertions = namespaces, namespaces.assertion
local assertions, modifiers = namespaces.assertion, namespaces.modifier
local plans = { assertion = {}, matcher = {} }
local function forget() plans = { assertion = {}, matcher = {} } end

-- test(state, …) returns whether it holds, and optionally a message, expected, actual and more results.
function inside.define(names, arity, test, positive, negative, shows)
    local definition = {
        name = names:match("%S+"), arity = arity, test = test, positive = positive, negative = negative,
            shows = shows,
    }
    for name in names:gmatch("%S+") do assertions[name] = definition end
    forget()
end
for word in ("is are was were has have does do be been to the a an"):gmatch("%a+") do
    modifiers[word] = { name = word, isBlank = true }
end
modifiers["not"] = { name = "not", flips = true, callback = function(state) state.mod = not state.mod end }
modifiers.no = modifiers["not"]

-- The meaning of a chain of words: the last known name, its modifiers, and whether they negate. Words
-- join into the longest known name: `has`, `error`, `match` end in `error_match`.
local function plan(kind, path)
    local known = plans[kind][path]
    if known then return known end
    local names, words = namespaces[kind], {}
    for word in path:lower():gmatch("[^_]+") do words[#words + 1] = word end
    local result, rest, place = { modifiers = {}, isNegated = false }, nil, #words
    while place > 0 do
        rest = rest and words[place] .. "_" .. rest or words[place]
        while place > 1 and names[words[place - 1] .. "_" .. rest] do
            place = place - 1
            rest = words[place] .. "_" .. rest
        end
        if names[rest] then
            result.target = result.target or names[rest]
            rest = nil
        elseif modifiers[rest] then
            local modifier = modifiers[rest]
            if modifier.flips then
                result.isNegated = not result.isNegated
            elseif not modifier.isBlank then
                table.insert(result.modifiers, 1, modifier)
            end
            rest = nil
        end
        place = place - 1
    end
    result.unknown = rest
    plans[kind][path] = result
    return result
end
inside.plan = plan

-- MARK: chains

local chain = { __name = "assert" }
local function copyState(state)
    local result = {}
    for key, value in next, state do result[key] = value end
    return setmetatable(result, chain)
end
chain.__index = function(state, key)
    if type(key) ~= "string" then return nil end
    local result = copyState(state)
    local path = rawget(state, "path")
    result.path = path == "" and key or path .. "_" .. key
    return result
end
local function newState() return setmetatable({ path = "", mod = true }, chain) end

local arglist = {}
local function list(...) return setmetatable(pack(...), arglist) end

local function noteText(note, describe)
    if note == nil then return nil end
    local mt = getmetatable(note)
    if type(note) == "string" or (type(mt) == "table" and mt.__tostring) then return tostring(note) end
    return describe(note)
end
local function describe(value) return inside.formatted(value) or inside.described(value) end

-- An assertion of the library.
local function check(state, definition, isNegated, ...)
    local count = select("#", ...)
    -- A function that returned nothing counts as nil.
    if count < definition.arity and not (definition.shows == "value" and definition.arity == 1) then
        misuse(("assert.%s takes %d argument%s, got %d"):format(
            definition.name, definition.arity, definition.arity == 1 and "" or "s", count))
    end
    local holds, text, expected, actual, results = definition.test(state, ...)
    if isNegated then holds = not holds end
    if holds then
        if results then return unpack(results, 1, results.n or #results) end
        return ...
    end
    local message = isNegated and definition.negative or definition.positive
    if text and (not isNegated or definition.arity == 1 or definition.isRecorded) then message = text end
    local first, second = ...
    if definition.shows == "both" then
        if isNegated then
            actual = format(second)
        else
            expected, actual = format(first), format(second)
        end
    elseif definition.shows == "value" then
        message = format(first) .. " " .. message
    end
    local note
    if definition.shows and not definition.readsNote then note = select(definition.arity + 1, ...) end
    if note == nil then note = rawget(state, "failure_message") end
    text = inside.failureText(state, definition.name, isNegated, ...)
    if note ~= nil then
        if text then text = noteText(note, describe) .. "\n" .. text end
        if type(note) ~= "boolean" then message = noteText(note, format) .. "\n" .. message end
    end
    inside.fail(message, expected, actual, text)
end

-- An assertion that a script registered.
local function checkOwn(state, definition, ...)
    local arguments = list(...)
    local shown = inside.formatAll(arguments)
    local holds, results = definition.callback(state, arguments, 2)
    if (not holds) ~= state.mod then
        if results then return unpack(results, 1, results.n or #results) end
        return ...
    end
    local key = state.mod and definition.positive_message or definition.negative_message
    local message = key and inside.say(key, inside.formatList(arguments)) or key
        or ("'%s' %s for %s"):format(definition.name, state.mod and "does not hold" or "holds", shown)
    local note = noteText(rawget(state, "failure_message"), describe)
    inside.fail(note and note .. "\n" .. message or message)
end

local function unknown(state, found)
    local names = {}
    for name in pairs(assertions) do names[#names + 1] = name end
    for name, modifier in pairs(modifiers) do
        if not modifier.isBlank then names[#names + 1] = name end
    end
    -- Known words in front do not belong to the mistake.
    local rest = found.unknown
    while rest:match("^(%w+)_.") and modifiers[rest:match("^(%w+)_")] do rest = rest:match("^%w+_(.*)") end
    misuse("assert has no '" .. rawget(state, "path") .. "'" .. inside.suggest(rest, names))
end

chain.__call = function(state, ...)
    local found = plan("assertion", rawget(state, "path"))
    if found.unknown then unknown(state, found) end
    local definition = found.target
    local mod = rawget(state, "mod")
    if found.isNegated then mod = not mod end
    if definition and definition.test and #found.modifiers == 0 then
        return check(state, definition, not mod, ...)
    end
    local changed = copyState(state)
    changed.mod = mod
    if definition then
        for _, modifier in ipairs(found.modifiers) do modifier.callback(changed, list(), 2) end
        if definition.test then return check(changed, definition, not changed.mod, ...) end
        return checkOwn(changed, definition, ...)
    end
    if #found.modifiers == 0 and select("#", ...) > 0 then
        inside.warn("assert." .. rawget(state, "path")
            .. "(…) checks nothing: a word such as 'same' or 'is_true' is missing")
    end
    local arguments = list(...)
    changed.path = ""
    for _, modifier in ipairs(found.modifiers) do modifier.callback(changed, arguments, 2) end
    return changed
end

modifiers.message = { name = "message", callback = function(state, arguments)
    rawset(state, "failure_message", arguments[1])
end }

-- MARK: the table `assert`

local root = { state = newState }
local levels = {}

local function checkName(kind, name)
    if type(name) ~= "string" then
        misuse("a name expected for the " .. kind .. ", got " .. inside.kind(name))
    end
    return name:lower()
end
-- fn(state, arguments, level) returns whether it holds; that of a matcher returns a function of the
-- value that does.
function root:register(kind, name, callback, positive, negative)
    local names = namespaces[kind]
    if not names then
        names = {}
        namespaces[kind] = names
    end
    name = checkName(kind, name)
    names[name] = { name = name, callback = callback, positive_message = positive, negative_message = negative }
    forget()
end
function root:unregister(kind, name)
    if namespaces[kind] then namespaces[kind][checkName(kind, name)] = nil end
    forget()
end
function root:add_formatter(callback)
    hasFormatters = true
    table.insert(current.formatters, 1, callback)
end
function root:remove_formatter(callback)
    local each = current
    while each do
        for place = #each.formatters, 1, -1 do
            if each.formatters[place] == callback then return remove(each.formatters, place) end
        end
        each = each.previous
    end
end
function root:set_parameter(name, value)
    if value == nil then value = nothing end
    current.parameters[name] = value
end
function root:get_parameter(name) return parameter(name) end
function root:add_spy(spy) inside.addSpy(spy) end
function root:snapshot() return takeSnapshot() end
function root:format(arguments) return inside.formatList(arguments) end
function root:level(number) return setmetatable({ level = number }, levels) end
function root:get_level(value) return getmetatable(value) == levels and value.level or nil end
root:set_parameter("TableFormatLevel", 3)
root:set_parameter("TableFormatShowRecursion", false)
root:set_parameter("TableErrorHighlightCharacter", "*")
root:set_parameter("TableErrorHighlightColor", "none")

-- The arguments of a message as texts, in their places; `nofmt` names those that are texts already.
function inside.formatList(arguments)
    local asTheyAre, given = arguments.nofmt or {}, arguments.fmtargs or {}
    for place = 1, arguments.n or #arguments do
        if not asTheyAre[place] then
            local value = arguments[place]
            arguments[place] = inside.formatted(value, given[place])
                or inside.described(value, given[place])
        end
    end
    return arguments
end

setmetatable(root, {
    __index = function(_, key)
        if type(key) ~= "string" then return nil end
        return newState()[key]
    end,
    -- As Lua's own.
    __call = function(_, ...)
        if select("#", ...) == 0 then misuse("bad argument #1 to 'assert' (value expected)") end
        local value, message = ...
        if value then return ... end
        if message == nil then inside.fail("assertion failed!") end
        if type(message) ~= "string" then error(message, 0) end
        inside.fail(message)
    end,
})
inside.assertRoot, inside.arglist, inside.list = root, arglist, list
inside.exports.assert = root
