-- `say`: texts by key and language, as modules under test and assertions of scripts use it.
-- Puts `say` into the table of the driver.
local inside = ...
local type, tostring, setmetatable, error = type, tostring, setmetatable, error
local unpack, max = table.unpack, math.max
local languages, language, fallback = { en = {} }, "en", "en"
local say = { _registry = languages, _VERSION = "Say 1.4" }

local function choose(name)
    if type(name) ~= "string" then
        error("say: the name of a namespace is a string, got " .. type(name), 3)
    end
    languages[name] = languages[name] or {}
    return name
end
function say:set_namespace(name) language = choose(name) end
function say:set_fallback(name) fallback = choose(name) end
function say:set(key, value) languages[language][key] = value end
inside.say = setmetatable(say, {
    __call = function(_, key, values)
        if values ~= nil and type(values) ~= "table" then
            error("say: the values of a text are a table, got " .. type(values), 2)
        end
        local text = languages[language][key]
        if text == nil then text = languages[fallback][key] end
        if text == nil then return nil end
        text = tostring(text)
        local count = values and max(values.n or 0, #values) or 0
        if count == 0 then return text end
        local shown = {}
        for place = 1, count do shown[place] = tostring(values[place]) end
        return text:format(unpack(shown, 1, count))
    end,
    __index = function(_, key) return languages[key] end,
})
-- The texts of failed assertions; a text with two values shows the found one first.
local function expect(name, positive, negative)
    say:set("assertion." .. name .. ".positive", positive)
    if negative then say:set("assertion." .. name .. ".negative", negative) end
end
local function compare(name, positive, negative, more)
    expect(name, positive .. "\nPassed in:\n%s\nExpected:\n%s" .. (more or ""),
        negative .. "\nPassed in:\n%s\nDid not expect:\n%s" .. (more or ""))
end
compare("same", "Expected the same contents.", "Expected other contents.")
compare("equals", "Expected this very value.", "Expected any other value.")
compare("near", "Expected a number near this one.", "Expected a number further away.", " +/- %s")
compare("matches", "Expected a text with this pattern.", "Expected a text without this pattern.")
expect("unique", "Expected each value only once in:\n%s", "Expected some value more than once in:\n%s")
expect("error", "Expected this error.\nCaught:\n%s\nExpected:\n%s", "Expected no such error.\nCaught:\n%s")
expect("truthy", "Expected neither nil nor false, got:\n%s", "Expected nil or false, got:\n%s")
expect("falsy", "Expected nil or false, got:\n%s", "Expected neither nil nor false, got:\n%s")
expect("called", "Expected this number of calls: %s, counted: %s", "Expected another number of calls than %s")
expect("called_at_least", "Expected %s calls or more, counted: %s")
expect("called_at_most", "Expected %s calls or fewer, counted: %s")
expect("called_more_than", "Expected over %s calls, counted: %s")
expect("called_less_than", "Expected under %s calls, counted: %s")
expect("called_with", "No call had these values.\nLast call:\n%s\nExpected:\n%s",
    "A call had these values.\nThat call:\n%s\nDid not expect:\n%s")
expect("returned_with", "No call gave these values.\nLast results:\n%s\nExpected:\n%s",
    "A call gave these values.\nThese results:\n%s\nDid not expect:\n%s")
expect("returned_arguments", "Expected this number of values: %s, counted: %s",
    "Expected another number of values than %s, counted: %s")
local own = {}
for key, text in next, languages.en do own[key] = text end
-- Replaces these texts, except those that a script has set.
function say:replaceTexts(others)
    for key, text in next, others do
        if languages.en[key] == own[key] then languages.en[key] = text end
    end
end
