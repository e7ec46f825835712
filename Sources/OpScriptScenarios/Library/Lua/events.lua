-- `busted.subscribe` and `busted.publish`: subscribers to the events of a file.
-- Puts `publish`, `subscribe`, `unsubscribe` and `hasSubscribers` into the table of the driver.
local inside = ...
local type, ipairs, next, math, setmetatable, tonumber = type, ipairs, next, math, setmetatable, tonumber
local concat, insert, remove, unpack = table.concat, table.insert, table.remove, table.unpack
local channels = {}
local count = 0

local function name(channel)
    if type(channel) ~= "table" then
        inside.misuse("a channel is a list of words, such as { 'test', 'end' }, got " .. inside.kind(channel))
    end
    return concat(channel, "\0")
end
-- fn(…) receives events of this channel and of those below it; `priority = 1` puts it first.
function inside.subscribe(channel, fn, options)
    if not inside.isCallable(fn) then
        inside.misuse("bad argument #2 to 'subscribe' (function expected, got " .. inside.kind(fn) .. ")")
    end
    local key = name(channel)
    local subscriber = { id = {}, fn = fn, options = options or {}, channel = key }
    channels[key] = channels[key] or {}
    local place = #channels[key] + 1
    if options and options.priority then place = options.priority end
    insert(channels[key], math.min(place, #channels[key] + 1), subscriber)
    count = count + 1
    return subscriber
end
-- Returns the subscriber that it removes.
function inside.unsubscribe(subscriber)
    local id = type(subscriber) == "table" and subscriber.id or subscriber
    local removed
    for _, list in next, channels do
        for place = #list, 1, -1 do
            if list[place].id == id then
                removed = remove(list, place)
                count = count - 1
            end
        end
    end
    return removed
end
function inside.hasSubscribers() return count > 0 end
-- Calls the subscribers of a channel and of those above it, until one returns false as its second value.
function inside.publish(channel, ...)
    if count == 0 then return end
    local words = { unpack(channel) }
    local results = {}
    while #words > 0 do
        for _, subscriber in ipairs { unpack(channels[concat(words, "\0")] or {}) } do
            local predicate = subscriber.options.predicate
            if not predicate or predicate(...) then
                local result, goesOn = subscriber.fn(...)
                if result ~= nil then results[#results + 1] = result end
                if goesOn == false then return results end
            end
        end
        words[#words] = nil
    end
    return results
end

-- MARK: groups and scenarios as subscribers see them

local descriptors = { spec = "it", test = "it", context = "describe", insulate = "describe",
    expose = "describe" }
-- A table that stays the same for an element.
function inside.view(element)
    if not element then return nil end
    if not element.view then
        local file, line = (element.place or ""):match("^(.*):(%d+)$")
        element.view = {
            name = element.name, descriptor = descriptors[element.word] or element.word, attributes = {},
            trace = { short_src = file or element.name or "?", currentline = line and tonumber(line) or 0,
                source = "@" .. (file or ""), what = "Lua", traceback = "" },
        }
    end
    return element.view
end
local elements = setmetatable({}, { __mode = "k" })
function inside.parentOfView(view)
    local element = elements[view]
    return element and inside.view(element.parent)
end
local view = inside.view
function inside.view(element)
    local result = view(element)
    if result then elements[result] = element end
    return result
end
