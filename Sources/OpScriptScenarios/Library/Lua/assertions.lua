-- The built-in assertions of `assert`, and the matchers that represent a value in comparisons.
-- Fills the namespaces of `assert`, and makes the export `match`.
local inside = ...
local type, tostring, tonumber, select, pcall, pairs = type, tostring, tonumber, select, pcall, pairs
local setmetatable, getmetatable, rawequal = setmetatable, getmetatable, rawequal
local rawget, rawset = rawget, rawset
local pack, unpack, floor, abs = table.pack, table.unpack, math.floor, math.abs
local format, same, define, misuse = inside.format, inside.same, inside.define, inside.misuse
local namespaces = inside.namespaces

local function hasText(value)
    local mt = getmetatable(value)
    return type(value) == "string" or type(value) == "userdata"
        or (type(mt) == "table" and mt.__tostring ~= nil)
end
local function isCallable(value)
    local mt = getmetatable(value)
    return type(value) == "function" or (type(mt) == "table" and mt.__call ~= nil)
end
inside.isCallable = isCallable

define("true", 1, function(_, value) return value == true end, "is not true", "is true", "value")
define("false", 1, function(_, value) return value == false end, "is not false", "is false", "value")
define("nil", 1, function(_, value) return value == nil end, "is not nil", "is nil", "value")
define("truthy", 1, function(_, ...)
    if select("#", ...) == 0 then misuse("assert.truthy takes 1 argument, got 0") end
    return (...) ~= nil and (...) ~= false
end, "is not truthy", "is truthy", "value")
define("falsy", 1, function(_, ...)
    if select("#", ...) == 0 then misuse("assert.falsy takes 1 argument, got 0") end
    return (...) == nil or (...) == false
end, "is not falsy", "is falsy", "value")
for name in ("string number boolean table function thread userdata"):gmatch("%a+") do
    define(name, 1, function(_, value) return type(value) == name end, "is not a " .. name, "is a " .. name,
        "value")
end
define("equals equal", 2, function(_, expected, actual)
    return expected == actual
end, "the values are not equal", "the values are equal", "both")
define("same", 2, function(_, expected, actual)
    local holds, path, left, right = same(expected, actual)
    if holds or not path or path == "" then return holds end
    return false, ("the values differ at %s: expected %s, got %s"):format(
        path:gsub("^%.", ""), inside.plain(left), inside.plain(right))
end, "the values are not the same", "the values are the same", "both")
define("near", 3, function(_, expected, actual, tolerance)
    expected, actual, tolerance = tonumber(expected), tonumber(actual), tonumber(tolerance)
    if not expected or not actual or not tolerance then
        misuse("assert.near takes three numbers: expected, actual, tolerance")
    end
    local holds = actual >= expected - tolerance and actual <= expected + tolerance
    return holds, ("the difference is %s, and %s is allowed"):format(
        inside.seconds(abs(expected - actual)), inside.seconds(tolerance))
end, "the numbers are not near", "the numbers are near", "both")
local function isUnique(list, deep)
    for key, value in pairs(list) do
        for other, second in pairs(list) do
            if key ~= other and (value == second or (deep and same(value, second))) then return false end
        end
    end
    return true
end
define("unique", 1, function(state, list, second, third)
    if type(list) ~= "table" then misuse("assert.unique takes a table") end
    local deep, note = second, third
    if type(second) ~= "boolean" and (second ~= nil or type(third) == "boolean") then
        deep, note = third == true, second
    end
    if note ~= nil then rawset(state, "failure_message", note) end
    return isUnique(list, deep)
end, "a value stands there more than once", "no value stands there more than once", "value")
inside.assertions.unique.readsNote = true

-- After a text, a start and a flag for plain text may follow, and a message at any place.
local function searchOptions(name, state, ...)
    local options, count, hasNote = {}, 0, false
    for place = 1, select("#", ...) do
        local value = select(place, ...)
        if not hasNote and value and type(value) ~= "boolean" and not tonumber(value) then
            rawset(state, "failure_message", value)
            hasNote = true
        else
            count = count + 1
            options[count] = value
        end
    end
    if options[1] ~= nil and not tonumber(options[1]) then
        misuse("assert." .. name .. ": where to begin is a number, got " .. inside.kind(options[1]))
    end
    return tonumber(options[1]) or 1, options[2]
end
-- The results of a match: the captures, or the matched text if there are none.
local function search(text, pattern, first, plain)
    if plain then return text:find(pattern, first, true) and { pattern, n = 1 } or nil end
    local found = pack(text:match(pattern, first))
    return found[1] ~= nil and found or nil
end
define("match matches", 2, function(state, pattern, text, ...)
    if type(pattern) ~= "string" then
        misuse("assert.matches takes a pattern first, got " .. inside.kind(pattern))
    end
    if not hasText(text) and type(text) ~= "number" then
        misuse("assert.matches takes a text after the pattern, got " .. inside.kind(text))
    end
    local first, plain = searchOptions("matches", state, ...)
    local found = search(tostring(text), pattern, first, plain)
    return found ~= nil, nil, nil, nil, found or { n = 0 }
end, "the text does not match the pattern", "the text matches the pattern", "both")
inside.assertions.match.readsNote = true

-- The text of an error, without the line where it was raised.
local function withoutPlace(text) return (text:gsub("^[^\n]-:%d+: ", "", 1)) end
local function errorValue(raised)
    if type(raised) == "string" then return withoutPlace(raised) end
    return raised
end
local matchesError
function matchesError(expected, actual)
    if expected == nil or same(expected, actual) then return true end
    if type(expected) == "number" then
        return type(actual) == "string" and tostring(expected) == tostring(tonumber(withoutPlace(actual)))
    end
    if type(expected) ~= "string" or not hasText(actual) then return false end
    local text = tostring(actual)
    if text == expected or withoutPlace(text) == expected then return true end
    return inside.isFailure(actual) and matchesError(expected, inside.ownText(actual))
end
local function checkFunction(name, fn)
    if not isCallable(fn) then
        misuse("assert." .. name .. " takes a function, got " .. inside.kind(fn)
            .. ": wrap the call, as in function() job() end")
    end
end
define("error errors", 1, function(state, fn, expected, note)
    checkFunction("has_error", fn)
    local ok, raised = pcall(fn)
    if note ~= nil then rawset(state, "failure_message", note) end
    local results = { errorValue(raised), expected, note, n = note ~= nil and 3 or 2 }
    if type(expected) == "string" and hasText(raised) then results[1] = errorValue(tostring(raised)) end
    rawset(state, "caught", { isNone = ok, value = results[1] })
    if ok then
        return false, "no error was raised", expected ~= nil and format(expected) or nil, nil, results
    end
    if expected == nil then return true, "an error was raised", nil, inside.plain(raised), results end
    local holds = matchesError(expected, raised)
    if holds then return true, "this error was raised", nil, inside.plain(raised), results end
    return false, "another error was raised", format(expected), format(raised), results
end, "no error was raised", "an error was raised")
define("error_matches error_match matches_error match_error", 2, function(state, fn, pattern, ...)
    checkFunction("error_matches", fn)
    if pattern ~= nil and type(pattern) ~= "string" then
        misuse("assert.error_matches takes a pattern, got " .. inside.kind(pattern))
    end
    local first, plain = searchOptions("error_matches", state, ...)
    local ok, raised = pcall(fn)
    local results = pack(errorValue(raised), pattern, ...)
    rawset(state, "caught", { isNone = ok, value = results[1] })
    if ok then return false, "no error was raised", format(pattern), nil, results end
    if raised == nil and pattern == nil then return true, nil, nil, nil, { n = 0 } end
    if pattern == nil or not hasText(raised) and type(raised) ~= "number" and type(raised) ~= "boolean" then
        return false, "the error is no text", format(pattern), format(raised), results
    end
    local text = tostring(errorValue(raised))
    results[1] = text
    local found = search(text, pattern, first, plain)
    if not found and inside.isFailure(raised) then
        found = search(errorValue(inside.ownText(raised)), pattern, first, plain)
    end
    return found ~= nil, "the error does not match the pattern", format(pattern), format(tostring(raised)),
        found or results
end, "the error does not match the pattern", "the error matches the pattern")
define("returned_arguments", 1, function(_, count, ...)
    local given = select("#", ...)
    return given == count, ("%d values, and not %s"):format(given, tostring(count))
end, "another number of values came", "this number of values came")

-- assert.array(list).has.no.holes([length])
namespaces.modifier.array = { name = "array", callback = function(state, arguments)
    if arguments.n == 0 then misuse("assert.array takes a table") end
    rawset(state, "arraySubject", arguments[1])
end }
define("holes", 0, function(state, length)
    local list = rawget(state, "arraySubject")
    if list == nil then misuse("say which table: assert.array(list).has.no.holes()") end
    if length == nil then
        length = 0
        for key in pairs(list) do
            if type(key) == "number" and key > length and floor(key) == key then length = key end
        end
    end
    if type(length) ~= "number" then
        misuse("the length of an array is a number, got " .. inside.kind(length))
    end
    for place = 1, length do
        if list[place] == nil then
            return true, "there is a hole at " .. place, nil, nil, { place, n = 1 }
        end
    end
    return false
end, "there is no hole", "there is a hole")

-- MARK: match

-- match.is_number(), match.is_same(x), match._ : these represent a value in comparisons. A matcher is called
-- with the value.
local matcher = inside.matcher
matcher.__name = "matcher"
matcher.__call = function(self, value) return (not self.callback(value)) ~= self.mod end
local function defineMatcher(names, make)
    for name in names:gmatch("%S+") do
        namespaces.matcher[name] = { name = name, callback = function(_, arguments)
            return make(unpack(arguments, 1, arguments.n))
        end }
    end
end
local function needs(name, count, ...)
    if select("#", ...) < count then
        misuse(("match.%s takes %d argument%s"):format(name, count, count == 1 and "" or "s"))
    end
end
-- A matcher of several others, by how many of them may accept a value.
local function combine(name, decide)
    defineMatcher(name, function(...)
        needs(name, 1, ...)
        local all = pack(...)
        for place = 1, all.n do
            if getmetatable(all[place]) ~= matcher then
                misuse(("match.%s takes matchers, got %s as argument %d: write match.is_same(…)"):format(
                    name, inside.kind(all[place]), place))
            end
        end
        return function(value)
            local count = 0
            for place = 1, all.n do if all[place](value) then count = count + 1 end end
            return decide(count, all.n)
        end
    end)
end
combine("any_of", function(count) return count > 0 end)
combine("all_of", function(count, all) return count == all end)
combine("none_of", function(count) return count == 0 end)
defineMatcher("ref", function(...)
    needs("ref", 1, ...)
    local object = ...
    local kind = type(object)
    if kind ~= "table" and kind ~= "function" and kind ~= "userdata" and kind ~= "thread" then
        misuse("match.ref takes an object, got " .. inside.kind(object))
    end
    return function(value) return rawequal(object, value) end
end)
defineMatcher("near", function(expected, tolerance)
    expected, tolerance = tonumber(expected), tonumber(tolerance)
    if not expected or not tolerance then misuse("match.near takes two numbers: expected, tolerance") end
    return function(value)
        value = tonumber(value)
        return value ~= nil and value >= expected - tolerance and value <= expected + tolerance
    end
end)
defineMatcher("matches match", function(pattern, first, plain)
    if type(pattern) ~= "string" then misuse("match.matches takes a pattern, got " .. inside.kind(pattern)) end
    if first ~= nil and not tonumber(first) then
        misuse("match.matches: where to begin is a number, got " .. inside.kind(first))
    end
    return function(value)
        if not hasText(value) and type(value) ~= "number" then return false end
        return tostring(value):find(pattern, first or 1, plain) ~= nil
    end
end)
defineMatcher("equals equal", function(...)
    needs("equals", 1, ...)
    local expected = ...
    return function(value) return expected == value end
end)
defineMatcher("same", function(...)
    needs("same", 1, ...)
    local expected = ...
    return function(value) return (same(expected, value)) end
end)
defineMatcher("unique", function(deep)
    return function(value) return type(value) == "table" and isUnique(value, deep) end
end)
local simple = "true false nil truthy falsy string number boolean table function thread userdata"
for name in simple:gmatch("%a+") do
    local test = namespaces.assertion[name].test
    defineMatcher(name, function() return function(value) return (test(nil, value)) end end)
end

local match = { _ = setmetatable({ name = "_", mod = true, text = "match._", arguments = { n = 0 },
    callback = function() return true end }, matcher) }
function match.is_matcher(value) return type(value) == "table" and getmetatable(value) == matcher end
function match.is_ref_matcher(value) return match.is_matcher(value) and value.name == "ref" end
local words = {}
words.__index = function(state, key)
    if type(key) ~= "string" then return nil end
    return setmetatable({ path = state.path == "" and key or state.path .. "_" .. key }, words)
end
words.__call = function(state, ...)
    local found, path = inside.plan("matcher", state.path), state.path
    local given = inside.list(...)
    local text = "match." .. path .. "(" .. inside.formatAll(given) .. ")"
    local own, isNegated, callback = found.target, found.isNegated
    if own then
        callback = own.callback({ mod = not isNegated }, given, 2)
    else
        -- Any assertion about the value, which is the last argument.
        local other = inside.plan("assertion", path)
        local definition = other.target
        if other.unknown or not definition then misuse("match has no '" .. path .. "'") end
        own, isNegated = definition, other.isNegated
        callback = function(value)
            local all = pack(unpack(given, 1, given.n))
            all[given.n + 1], all.n = value, given.n + 1
            if definition.test then return (definition.test({ mod = true }, unpack(all, 1, all.n))) end
            return (definition.callback({ mod = true }, all, 2))
        end
    end
    return setmetatable({ name = own.name, mod = not isNegated, callback = callback, arguments = given,
        text = text }, matcher)
end
function match.state() return setmetatable({ path = "" }, words) end
setmetatable(match, { __index = function(_, key) return match.state()[key] end })
inside.exports.match = match
