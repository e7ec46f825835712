-- The recorded order of events: `record`, `eventually`, and the assertions about time and order.
-- Puts `beginRecording` into the table of the driver, and makes the exports `record` and `eventually`.
local inside = ...
local type, tostring, pcall, setmetatable, getmetatable = type, tostring, pcall, setmetatable, getmetatable
local pack, unpack, concat = table.pack, table.unpack, table.concat
local define, misuse, seconds = inside.define, inside.misuse, inside.seconds
local sleep, clock = sleep, clock

-- MARK: recordings

local recording = { __name = "recording" }
local methods = {}
recording.__index = methods
local current

local ends = { finish = true, fail = true, cancel = true, skip = true }
local kinds = { start = true, add = true, ready = true, fire = true, finish = true, fail = true,
    cancel = true, skip = true }

local function make()
    return setmetatable({ startedAt = clock.now(), marks = {}, first = inside.recordedCount() + 1 }, recording)
end
function inside.beginRecording()
    inside.record()
    current = make()
end

-- All events and all marks, in order: { time, text, kind, name, identity }.
function methods:entries()
    local result = {}
    local events = inside.recorded(self.first)
    local place = 1
    local function marksUpTo(count)
        while place <= #self.marks and self.marks[place].after <= count do
            local mark = self.marks[place]
            result[#result + 1] = { time = mark.time - self.startedAt, text = mark.text, kind = "mark",
                name = mark.text }
            place = place + 1
        end
    end
    for count, event in ipairs(events) do
        marksUpTo(self.first + count - 2)
        if kinds[event.kind] then
            result[#result + 1] = {
                time = event.time - self.startedAt, text = event.kind .. " " .. event.name,
                kind = event.kind, name = event.name, identity = event.identity,
            }
        end
    end
    marksUpTo(math.huge)
    return result
end

-- Records a mark of the scenario.
function methods:mark(text)
    if type(text) ~= "string" then misuse("mark takes a string, got " .. inside.kind(text)) end
    self.marks[#self.marks + 1] = { text = text, time = clock.now(), after = inside.recordedCount() }
end

-- Starts and marks as text: each character is one unit of time, `-` if nothing happens, `|` at
-- the end of the last operation.
local function draw(entries, unit, picked)
    local columns, last = {}, 0
    for _, entry in ipairs(entries) do
        local letter = picked(entry)
        if letter or ends[entry.kind] then
            local column = math.floor(entry.time / unit + 0.5)
            if letter then columns[column] = (columns[column] or "") .. letter end
            if column > last then last = column end
        end
    end
    local parts = {}
    for column = 0, last do
        local text = columns[column] or (column == last and "" or "-")
        parts[#parts + 1] = #text > 1 and "(" .. text .. ")" or text
    end
    -- The end is at the end of the last operation, or right after starts at that moment.
    return concat(parts) .. "|"
end

local function letterOf(name) return #name == 1 and name or nil end

-- Options for `what`: these names, and with `hasLetters` any letter of a drawing.
local function checkOptions(options, what, names, hasLetters)
    if options == nil then return {} end
    if type(options) ~= "table" then
        misuse(what .. " takes a table of options, got " .. inside.kind(options))
    end
    for key in next, options do
        local isKnown = type(key) == "string" and hasLetters and letterOf(key)
        for _, name in ipairs(names) do isKnown = isKnown or key == name end
        if not isKnown then
            misuse(what .. " has no option '" .. tostring(key) .. "' (there are '" .. concat(names, "', '") .. "')")
        end
    end
    return options
end

-- recording:draw { unit = 1 }
function methods:draw(options)
    options = checkOptions(options, "draw", { "unit" })
    return draw(self:entries(), options.unit or 1, function(entry)
        if entry.kind == "start" or entry.kind == "mark" then return letterOf(entry.name) or "?" end
    end)
end

-- record() begins a recording; record "text" adds a mark to the scenario's recording.
function inside.exports.record(text)
    if text == nil then return make() end
    current:mark(text)
end

-- MARK: assert.timeline

local function list(entries)
    local lines = {}
    for place, entry in ipairs(entries) do lines[place] = seconds(entry.time) .. "  " .. entry.text end
    return #lines == 0 and "(nothing)" or concat(lines, "\n")
end

local function tolerance(options)
    return options.tolerance or (clock.isVirtual and 1e-6 or 0.05)
end

-- The entries that an expectation is about: only kinds that it names are compared.
local function category(text)
    local verb = text:match("^(%a+) ")
    if verb and kinds[verb] then return ends[verb] and "end" or verb end
    return "mark"
end

local function compareList(recorded, expected, options)
    local wanted, named = {}, {}
    for place, entry in ipairs(expected) do
        if type(entry) ~= "table" or type(entry[1]) ~= "number" or type(entry[2]) ~= "string" then
            misuse(("entry %d of the timeline is no { seconds, \"start name\" }"):format(place))
        end
        for index = 2, #entry do
            wanted[#wanted + 1] = { time = entry[1], text = entry[index] }
            named[category(entry[index])] = true
        end
    end
    local actual = {}
    for _, entry in ipairs(recorded:entries()) do
        local own = entry.kind == "mark" and "mark" or ends[entry.kind] and "end" or entry.kind
        local isExpected = named[own]
        if #wanted == 0 then isExpected = own == "start" or own == "end" or own == "mark" end
        if isExpected then actual[#actual + 1] = entry end
    end
    local allowed, holds = tolerance(options), #wanted == #actual
    for place = 1, #wanted do
        local left, right = wanted[place], actual[place]
        if not right or left.text ~= right.text or math.abs(left.time - right.time) > allowed then
            holds = false
            break
        end
    end
    return holds, nil, list(wanted), list(actual)
end

-- "a--b-|" → { { column, letter } …, endColumn }
local function readDrawing(text)
    local result, column, place, finish = {}, 0, 1, nil
    while place <= #text do
        local letter = text:sub(place, place)
        if letter == "|" then
            finish = column
            if text:find("[^%s]", place + 1) then
                misuse("'|' is the end of a timeline, but more follows in '" .. text .. "'")
            end
            break
        elseif letter == "(" then
            local group = text:match("^%(([^()]*)%)", place)
            if not group then misuse("'(' without ')' in the timeline '" .. text .. "'") end
            for each in group:gmatch(".") do result[#result + 1] = { column = column, letter = each } end
            place = place + #group + 1
            column = column + 1
        elseif letter == "-" then
            column = column + 1
        elseif letter:find("%w") then
            result[#result + 1] = { column = column, letter = letter }
            column = column + 1
        elseif not letter:find("%s") then
            misuse("'" .. letter .. "' is unknown in the timeline '" .. text .. "'")
        end
        place = place + 1
    end
    return result, finish
end

local function compareDrawing(recorded, text, options)
    local unit = options.unit or 1
    if type(unit) ~= "number" or unit <= 0 then misuse("'unit' is a number of seconds above 0") end
    local expected, finish = readDrawing(text)
    -- A letter represents the start of the operation or the mark of that name, or the text in the options.
    local meanings = {}
    for _, item in ipairs(expected) do
        local letter = item.letter
        local meaning = options[letter]
        if meaning ~= nil and type(meaning) ~= "string" then
            misuse("'" .. letter .. "' must be a text such as \"start compile\"")
        end
        meanings[meaning or letter] = letter
    end
    local function picked(entry)
        local own = meanings[entry.text]
        if own then return own end
        if entry.kind == "start" then
            return meanings[entry.name] and options[entry.name] == nil and entry.name or nil
        end
    end
    local entries, actual, last = recorded:entries(), {}, 0
    for _, entry in ipairs(entries) do
        local letter = picked(entry)
        if letter then actual[#actual + 1] = { time = entry.time, letter = letter } end
        if ends[entry.kind] and entry.time > last then last = entry.time end
    end
    local allowed = tolerance(options)
    local holds = #expected == #actual and (finish == nil or math.abs(finish * unit - last) <= allowed)
    -- Events of one column may come in any order.
    local free = {}
    for _, item in ipairs(expected) do
        local key = item.letter
        free[key] = free[key] or {}
        free[key][#free[key] + 1] = item.column * unit
    end
    for _, item in ipairs(actual) do
        local moment = free[item.letter] and table.remove(free[item.letter], 1)
        if not moment or math.abs(moment - item.time) > allowed then holds = false end
    end
    return holds, nil, text, draw(entries, unit, picked)
end

define("timeline", 1, function(_, ...)
    local recorded, expected, options = ...
    if getmetatable(recorded) ~= recording then recorded, expected, options = current, ... end
    options = checkOptions(options, "assert.timeline", { "unit", "tolerance" }, type(expected) == "string")
    if type(expected) == "string" then return compareDrawing(recorded, expected, options) end
    if type(expected) ~= "table" then
        misuse("assert.timeline takes a list of { seconds, \"start name\" } or a text such as \"a--b-|\", got "
            .. inside.kind(expected))
    end
    return compareList(recorded, expected, options)
end, "the timeline is another one", "the timeline is this one")

-- MARK: assert.order, assert.parallel

-- A recording's data about an operation, or about a mark or an operation by its name.
local function span(what, entries)
    local identity = type(what) ~= "string" and inside.identity(what) or nil
    if type(what) ~= "string" and not identity then
        misuse("an operation, or the name of one or of a mark expected, got " .. inside.kind(what))
    end
    local result = { name = identity and what.name or what }
    for place, entry in ipairs(entries) do
        local isIt = identity and entry.identity == identity or not identity and (entry.name == what
            or entry.text == what)
        if isIt then
            if entry.kind == "mark" or entry.text == what then
                result.first, result.last = result.first or place, result.last or place
            elseif entry.kind == "start" then
                result.first = result.first or place
            elseif ends[entry.kind] then
                result.last = place
            end
        end
    end
    return result
end
local function story(entries, spans)
    local names, lines = {}, {}
    for _, each in ipairs(spans) do names[each.name] = true end
    for _, entry in ipairs(entries) do
        if (names[entry.name] or names[entry.text]) and (entry.kind == "mark" or entry.kind == "start"
            or ends[entry.kind]) then
            lines[#lines + 1] = seconds(entry.time) .. "  " .. entry.text
        end
    end
    return #lines == 0 and "(nothing)" or concat(lines, "\n")
end
local function spans(...)
    local entries, result = current:entries(), {}
    for place, what in ipairs(pack(...)) do result[place] = span(what, entries) end
    return entries, result
end

define("order", 2, function(_, ...)
    local entries, all = spans(...)
    for place = 1, #all - 1 do
        local before, after = all[place], all[place + 1]
        local problem
        if not before.last then
            problem = before.first and "'%s' has not ended" or "'%s' never happened"
            return false, problem:format(before.name), nil, story(entries, all)
        end
        if not after.first then
            return false, ("'%s' never began"):format(after.name), nil, story(entries, all)
        end
        if before.last >= after.first then
            return false, ("'%s' was not over when '%s' began"):format(before.name, after.name), nil,
                story(entries, all)
        end
    end
    return true, nil, nil, story(entries, all)
end, "they did not come in this order", "they came in this order")

define("parallel", 2, function(_, ...)
    local entries, all = spans(...)
    for first = 1, #all do
        if not all[first].first then
            return false, ("'%s' never began"):format(all[first].name), nil, story(entries, all)
        end
        for second = first + 1, #all do
            local a, b = all[first], all[second]
            if b.first and ((a.last or math.huge) < b.first or (b.last or math.huge) < a.first) then
                return false, ("'%s' and '%s' did not run at the same time"):format(a.name, b.name), nil,
                    story(entries, all)
            end
        end
    end
    return true, nil, nil, story(entries, all)
end, "they did not run at the same time", "they ran at the same time")

-- MARK: eventually

-- Calls a function until it neither raises nor returns false or nil, and returns its results.
function inside.exports.eventually(fn, options)
    if type(fn) ~= "function" then misuse("eventually takes a function, got " .. inside.kind(fn)) end
    options = checkOptions(options, "eventually", { "timeout", "interval" })
    local interval, limit = options.interval or 0.01, options.timeout or 5
    if type(interval) ~= "number" or type(limit) ~= "number" or interval <= 0 then
        misuse("eventually: 'interval' and 'timeout' are numbers of seconds, and 'interval' is above 0")
    end
    local deadline = clock.now() + limit
    while true do
        local results = pack(pcall(fn))
        if results[1] and (results.n == 1 or results[2]) then return unpack(results, 2, results.n) end
        if clock.now() >= deadline then
            local last = results[1] and "it returned " .. inside.plain(results[2]) or tostring(results[2])
            inside.fail(("it did not come true within %s s; the last time: %s"):format(seconds(limit), last))
        end
        sleep(interval)
    end
end
