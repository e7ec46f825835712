-- The text of a failed assertion for code that catches it, with the parts and the order that luassert gives it.
-- Puts `failureText` into the table of the driver. The texts of results are made by assert.lua.
local inside = ...
local tostring, setmetatable, error, next, require = tostring, setmetatable, error, next, require
local package, loadfile, rawget, pack, globals = package, loadfile, rawget, table.pack, _G
local say = inside.say

-- The values of a text by the name of the assertion: fn(state, isNegated, …) returns the key of the text,
-- a list, and whether the key is that of a text that is not negated. `nofmt` has the places of texts in the
-- list.
local texts = {}
local function list(count, ...)
    local result = pack(...)
    result.n = count
    return result
end
for name, value in next, { ["true"] = true, ["false"] = false } do
    texts[name] = function(_, _, given) return "same", list(2, given, value) end
end
for name in ("nil string number boolean table function thread userdata"):gmatch("%a+") do
    texts[name] = function(_, _, given)
        local values = list(2, given, "type " .. name)
        values.nofmt = { [2] = true }
        return "same", values
    end
end
for name in ("truthy falsy unique"):gmatch("%a+") do
    texts[name] = function(_, _, given) return name, list(1, given) end
end
function texts.equals(_, _, expected, actual) return "equals", list(2, actual, expected) end
function texts.match(_, _, pattern, text) return "matches", list(2, text, pattern) end
function texts.same(_, _, expected, actual)
    local values = list(2, actual, expected)
    local holds, _, _, _, crumbs = inside.same(expected, actual)
    if not holds then values.fmtargs = { { crumbs = crumbs }, { crumbs = crumbs } } end
    return "same", values
end
function texts.near(_, _, expected, actual, tolerance)
    local values = list(3, actual, expected, tostring(tolerance))
    values.nofmt = { [3] = true }
    return "near", values
end
local function errorText(state, _, _, expected)
    local caught = rawget(state, "caught")
    local values = list(2, caught.value, expected)
    values.nofmt = { caught.isNone, expected == nil }
    if caught.isNone then values[1] = "(no error)" end
    if expected == nil then values[2] = "(error)" end
    return "error", values
end
texts.error, texts.error_matches = errorText, errorText
function texts.returned_arguments(_, _, count, ...)
    local values = list(2, tostring(count), tostring(pack(...).n))
    values.nofmt = { true, true }
    return "returned_arguments", values
end
-- The opposite of a count has a text of its own.
local opposites = { called_at_least = "called_less_than", called_less_than = "called_at_least",
    called_at_most = "called_more_than", called_more_than = "called_at_most" }
local function counting(name)
    return function(state, isNegated, count)
        local isNever = count == nil and isNegated
        local calls = rawget(state, "payload").calls
        local values = list(2, tostring(isNever and 0 or count or ">0"), tostring(#calls))
        values.nofmt = { true, true }
        local opposite = isNegated and opposites[name]
        return opposite or name, values, isNever or opposite
    end
end
for name in ("called called_at_least called_at_most called_more_than called_less_than"):gmatch("[%a_]+") do
    texts[name] = counting(name)
end
for name in ("called_with returned_with"):gmatch("[%a_]+") do
    texts[name] = function(state, _, ...)
        local expected, spy = inside.list(...), rawget(state, "payload")
        local _, found = spy[name](spy, expected)
        return name, list(2, found, expected)
    end
end

-- Where luassert is installed, its own texts replace those of the library, in the language of the project.
local isRead = false
local function readInstalledTexts()
    isRead = true
    local language = inside.order and inside.order.language or "en"
    local name = "luassert.languages." .. language
    local path = package and package.path and package.searchpath
        and package.searchpath(name, package.path)
    if not path then
        if language ~= "en" then error("--lang " .. language .. ": there is no module '" .. name .. "'", 0) end
        return
    end
    local found = {}
    local collector = { set_namespace = function() end, set_fallback = function() end,
        set = function(_, key, text) found[key] = text end }
    local chunk, problem = loadfile(path, "t", setmetatable({
        require = function(module) return module == "say" and collector or require(module) end,
    }, { __index = globals }))
    if not chunk then error("cannot load the texts of failures: " .. problem, 0) end
    chunk()
    say:replaceTexts(found)
end

-- The text of a failure; nil if the assertion has none.
function inside.failureText(state, name, isNegated, ...)
    local describe = texts[name]
    if not describe then return nil end
    if not isRead then readInstalledTexts() end
    local key, values, isPositive = describe(state, isNegated, ...)
    key = "assertion." .. key .. (isNegated and not isPositive and ".negative" or ".positive")
    return say(key, inside.formatList(values))
end
